// Cuts the power of a woven application on this host, at every NVM write unit or at a spread of them, and compares what
// it hands over with the oracle, bit for bit. The cutting itself is done by the application's own cut driver
// (runtime/ports/host/).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "util/result.h"
#include "verify/host_build.h"

namespace metamorph::verify {

// (done, total): of cuts. Called a few times a second, from the calling thread.
using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

struct CutRequest {
    std::string inputs;    // raw input bytes, one inference after another
    std::string expected;  // the oracle's outputs for them
    int inferences = 1;
    std::optional<std::uint64_t> cuts_max;  // nothing: every unit; 0: none, only the uninterrupted life is recorded
    std::optional<std::uint64_t> budget_seconds;
    std::optional<std::uint64_t> second_max;  // second cuts a first cut; nothing: every unit of the recovery
    std::string replay;                       // id of a failure, "cut:17" or "cut:17+3"; empty: explore
    int jobs = 1;
    Progress progress;
};

// What the driver found (schema: runtime/ports/host/README.md, "Report"), as it printed it. A wrong result is no error
// here.
Result<nlohmann::ordered_json> cut_everywhere(const HostBuild& build, const std::filesystem::path& work,
                                              const CutRequest& request);

// Outputs of the oracle for `inputs`, concatenated. Errors: internal (it crashes, or gives another number of bytes).
Result<std::string> run_plain(const HostBuild& build, const std::string& inputs, std::size_t output_bytes);

// The woven application, run once without a cut from an empty NVM: its outputs. Errors: check_failed (exit status).
Result<std::string> run_woven(const HostBuild& build, const std::filesystem::path& work, const std::string& inputs,
                              int inferences);

}  // namespace metamorph::verify

// `metamorph run`: weave, build for this host, compare with the oracle, cut the power everywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/pipeline.h"
#include "report/run_result.h"

namespace metamorph::pipeline {

struct RunRequest {
    std::filesystem::path model;  // a model, or the folder of a woven project if is_woven
    bool is_woven = false;
    const generate::ForeignCode* foreign = nullptr;  // not owned; what another generator made of the model
    const parts::MergedCode* parts = nullptr;        // not owned; instead of it, a network for the MAX78000
    std::string generator_options;                   // for its banners, as of WeaveRequest
    std::string prefix;
    tasks::Split split;
    std::vector<tasks::SliceRequest> slices;
    std::vector<tasks::NvmMode> modes;  // of a model; a woven project has its own
    int inferences = 1;
    std::filesystem::path inputs;   // raw bytes; empty: of the data set, or random by seed
    std::filesystem::path dataset;  // labelled inputs, for the accuracy; empty: none
    std::uint64_t seed = 1;

    bool cuts = true;
    std::optional<std::uint64_t> cuts_max;  // nothing: every write unit
    std::optional<std::uint64_t> budget_seconds;
    std::optional<std::uint64_t> second_max;  // second cuts a first cut; nothing: every one
    std::string replay;
    int jobs = 1;

    std::filesystem::path keep;  // folder for projects and builds; empty: a scratch folder
    bool explain = false;
    Dump dump;
    // (what, done, total), a few times a second; may be empty
    std::function<void(const std::string&, std::uint64_t, std::uint64_t)> progress;
};

// A wrong result is in the RunResult, not an error. Errors: as of the stages; toolchain; check_failed where the driver
// itself gives up.
Result<report::RunResult> run(const RunRequest& request);

}  // namespace metamorph::pipeline

// The MAX78000's generator, part by part: from a network's description and layers per task to parts that are merged.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/framework.h"
#include "generate/ai8x/commands.h"
#include "parts/merge.h"
#include "tasks/partition.h"
#include "util/result.h"

namespace metamorph::pipeline {

inline constexpr const char* k_ai8x = "ai8x";                     // the framework's name
inline constexpr const char* k_ai8x_variable = "METAMORPH_AI8X";  // environment: the path of ai8xize.py

struct Ai8xRequest {
    std::filesystem::path network;                             // the YAML file
    std::string prefix;                                        // C identifier; empty: made from the file's name
    std::vector<std::pair<std::string, std::string>> options;  // of frameworks/ai8x/framework.toml
    tasks::Split split;                                        // layers of the description per task; a task is a part
    std::uint64_t seconds_max = 0;                             // each command; 0: as the description says
};

// The commands that would be run, all checks of options, description and cuts done; their folder is `folder`. Errors:
// options, model.
Result<std::vector<generate::ai8x::PartCommand>> plan_ai8x(const app::Framework& framework, const Ai8xRequest& request,
                                                           const std::filesystem::path& folder);

// Runs them, one after the other, and merges what comes out. Errors: as of plan_ai8x and parts::merge; toolchain (the
// generator is not there, or fails: its last lines, the command, the log).
Result<parts::MergedCode> run_ai8x(const app::Framework& framework, const Ai8xRequest& request);

// The layers as --tasks counts them, and where the network can be cut. Errors: model.
struct Ai8xLayer {
    int index = 0;
    std::string name, operation, where;
    std::string why_no_cut;  // behind it; empty: there can be one
};
Result<std::vector<Ai8xLayer>> inspect_ai8x(const std::filesystem::path& network);
std::string text_of(const std::vector<Ai8xLayer>& layers);
nlohmann::ordered_json json_of(const std::vector<Ai8xLayer>& layers);  // "metamorph-ai8x-layers-1"

}  // namespace metamorph::pipeline

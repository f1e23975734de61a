// One run as it is done: what is copied into its folder, and the commands in their order. A session keeps it, so that
// --resume does the same whatever has become of the project file since.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "matrix/stage_queue.h"
#include "project/points.h"
#include "project/project.h"
#include "util/result.h"

namespace metamorph::matrix {

struct RunPlan {
    std::string name;
    project::PerAxis values;
    std::string skipped;  // why it is not possible; empty: it is
    // Files of the folder `inputs` of the run; `model` may be a folder.
    std::string model, inputs, expected;
    bool is_expected_float = false;
    double tolerance = 0;
    std::string generator;                                     // "native", a framework's name, or a path
    std::string generator_version;                             // "bakenn 1.0.0"; empty: not known
    std::vector<std::string> libraries;                        // that weaving takes from the store, or builds: "tflm"
    std::vector<std::pair<std::string, std::string>> options;  // of the generator

    bool is_host() const { return values[static_cast<std::size_t>(project::Axis::device)] == "host"; }
    std::string device_name() const { return project::Point{values, ""}.device_name(); }
};

// Of all runs of a session.
struct RunSettings {
    int inferences = 1;
    std::uint64_t seed = 1;
    int depth = 0;
    std::uint64_t stage_seconds = 600;
    std::string frameworks;  // the folder of the project's own descriptions, absolute; empty: it has none
};

struct StageCommand {
    std::vector<std::string> argv;  // the program `metamorph` itself is k_self
    bool takes_jobs = false;        // "-j", "N" may be added; the result does not depend on it
    std::string output;             // a file for standard output, from the run's folder; empty: the log
    std::string log;                // for standard error, and for standard output, too, where that has no file
    std::vector<std::pair<std::string, std::string>> environment;
};

struct Stage {
    std::string name;  // "weave", "build", "verify", "run"
    std::vector<StageCommand> commands;
    std::vector<std::string> makes;  // folders that are removed before it begins
    StageCost cost;
};

inline constexpr const char* k_self = "metamorph";

// weave (import, generation, weaving), then for a device build and verify, for the host run. All paths are relative to
// the run's folder but those of generators and devices that are descriptions.
std::vector<Stage> stages_of(const RunPlan& plan, const RunSettings& settings);

// A script that does all of it by hand, in the folder where it lies. `program`: the path of metamorph.
std::string repeat_script(const RunPlan& plan, const RunSettings& settings, const std::string& program);

// Where the firmware is, from the run's folder; `target` is weave.json's app_target.
std::filesystem::path elf_of(const RunPlan& plan, const std::string& target);

nlohmann::ordered_json json_of(const RunPlan& plan);
RunPlan plan_of(const nlohmann::ordered_json& json);  // throws what nlohmann throws

}  // namespace metamorph::matrix

#include "matrix/run_result.h"

#include <algorithm>

namespace metamorph::matrix {
namespace {

using nlohmann::ordered_json;

constexpr std::array<const char*, 11> k_names{
    "Right",   "Diverged", "NoProgress",       "DoesNotFit", "BuildFailed", "GenerateFailed",
    "Refused", "TimedOut", "UnexpectedOutput", "Failed",     "Skipped"};

ordered_json json_of(const OutputCheck& output) {
    return {{"exact", output.is_exact},
            {"within_tolerance", output.is_within_tolerance},
            {"greatest", output.greatest},
            {"same_answer", output.same_answer},
            {"of", output.inferences}};
}

RunResult result_of(const ordered_json& json) {
    RunResult result;
    result.name = json.at("name");
    for (std::size_t i = 0; i < project::k_axes; ++i) {
        result.values[i] = json.at(project::axis_names()[i]);
    }
    result.status = status_named(json.at("status").get<std::string>()).value_or(RunStatus::failed);
    result.detail = json.at("detail");
    result.hint = json.at("hint");
    result.stage = json.at("stage");
    result.log = json.at("log");
    result.generator = json.at("generator_version");
    for (const auto& [name, value] : json.at("figures").items()) {
        result.figures[name] = value;
    }
    if (const ordered_json& output = json.at("output"); !output.is_null()) {
        result.output = OutputCheck{output.at("exact"), output.at("within_tolerance"), output.at("greatest"),
                                    output.at("same_answer"), output.at("of")};
    }
    for (const ordered_json& library : json.at("libraries")) {
        result.libraries.push_back({library.at("name"), library.at("key"), library.at("outcome"), library.at("seconds"),
                                    library.at("nearest"), library.at("differences").get<std::vector<std::string>>()});
    }
    result.elf_sha256 = json.at("elf_sha256");
    for (const ordered_json& stage : json.at("stages")) {
        result.stages.push_back(stage_of(stage));
    }
    return result;
}

}  // namespace

const char* name_of(RunStatus status) {
    return k_names[static_cast<std::size_t>(status)];
}

std::optional<RunStatus> status_named(std::string_view name) {
    const auto found = std::find(k_names.begin(), k_names.end(), name);
    return found == k_names.end() ? std::nullopt : std::optional(static_cast<RunStatus>(found - k_names.begin()));
}

ordered_json json_of(const StageRecord& stage) {
    return {{"stage", stage.name},
            {"began", stage.began},
            {"seconds", stage.seconds},
            {"slots", stage.slots},
            {"peak_memory_bytes", stage.peak_memory_bytes}};
}

StageRecord stage_of(const ordered_json& json) {
    return {json.at("stage"), json.at("began"), json.at("seconds"), json.at("slots"), json.at("peak_memory_bytes")};
}

ordered_json json_of(const RunResult& result) {
    ordered_json json{{"schema", "metamorph-run-result-1"}, {"name", result.name}};
    for (std::size_t i = 0; i < project::k_axes; ++i) {
        json[project::axis_names()[i]] = result.values[i];
    }
    json["status"] = name_of(result.status);
    json["detail"] = result.detail;
    json["hint"] = result.hint;
    json["stage"] = result.stage;
    json["log"] = result.log;
    json["generator_version"] = result.generator;
    json["figures"] = ordered_json::object();
    for (const auto& [name, value] : result.figures) {
        json["figures"][name] = value;
    }
    json["output"] = result.output ? json_of(*result.output) : ordered_json();
    json["libraries"] = ordered_json::array();
    for (const LibraryUse& library : result.libraries) {
        json["libraries"].push_back({{"name", library.name},
                                     {"key", library.key},
                                     {"outcome", library.outcome},
                                     {"seconds", library.seconds},
                                     {"nearest", library.nearest},
                                     {"differences", library.differences}});
    }
    json["elf_sha256"] = result.elf_sha256;
    json["stages"] = ordered_json::array();
    for (const StageRecord& stage : result.stages) {
        json["stages"].push_back(json_of(stage));
    }
    return json;
}

Result<RunResult> read_run_result(const std::string& text, const std::string& where) {
    try {
        return result_of(ordered_json::parse(text));
    } catch (const nlohmann::json::exception& thrown) {
        return fail(ErrorCode::system, where, "this is no result of a run: {}", thrown.what());
    }
}

}  // namespace metamorph::matrix

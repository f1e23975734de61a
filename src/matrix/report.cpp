#include "matrix/report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::matrix {
namespace {

using nlohmann::ordered_json;

constexpr double k_microseconds = 1e6;

struct Bar {
    const RunResult* run;
    const StageRecord* stage;
};

std::vector<Bar> bars_of(const Results& results) {
    std::vector<Bar> bars;
    for (const RunResult& run : results.runs) {
        for (const StageRecord& stage : run.stages) {
            bars.push_back({&run, &stage});
        }
    }
    std::stable_sort(bars.begin(), bars.end(),
                     [](const Bar& a, const Bar& b) { return a.stage->began < b.stage->began; });
    return bars;
}

std::string library_of(const RunResult& run) {
    return cell_of(run, *column_named("library")).text;
}

// Fields of a key by their groups, largest last: "flag, toolchain (9), header (120)".
std::string grouped(const std::vector<std::string>& fields) {
    std::vector<std::pair<std::string, int>> groups;
    for (const std::string& field : fields) {
        const std::string group = field.substr(0, field.find('.'));
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == group; });
        found == groups.end() ? static_cast<void>(groups.emplace_back(group, 1)) : static_cast<void>(++found->second);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::string text;
    for (const auto& [group, count] : groups) {
        text += (text.empty() ? "" : ", ") + group + (count > 1 ? fmt::format(" ({})", count) : "");
    }
    return text;
}

std::string library_line(const LibraryUse& use) {
    constexpr std::size_t k_key_digits = 12;
    std::string text = fmt::format("library {} {}: {} in {:.1f} s", use.name, use.key.substr(0, k_key_digits),
                                   use.outcome, use.seconds);
    if (!use.nearest.empty()) {
        text += fmt::format("; the nearest in the store was {}, other in {}", use.nearest.substr(0, k_key_digits),
                            grouped(use.differences));
    }
    return text + "\n";
}

std::string command_of(const RunPlan& plan, const RunSettings& settings, const RunResult& result) {
    std::string text;
    for (const Stage& stage : stages_of(plan, settings)) {
        if (stage.name != result.stage) {
            continue;
        }
        for (const StageCommand& command : stage.commands) {
            text = quoted(command.argv);
            if (command.log == result.log || command.output == result.log) {
                return text;
            }
        }
    }
    return text;
}

}  // namespace

Results results_of(const Session& session) {
    Results results;
    for (const RunPlan& plan : session.plans()) {
        if (auto result = session.result_of(plan)) {
            results.runs.push_back(std::move(*result));
        } else {
            results.missing.push_back(plan.name);
        }
    }
    return results;
}

std::string summary_of(const Results& results) {
    std::map<RunStatus, int> counts;
    for (const RunResult& run : results.runs) {
        ++counts[run.status];
    }
    std::vector<std::string> parts;
    for (const auto& [status, count] : counts) {
        parts.push_back(fmt::format("{} {}", count, name_of(status)));
    }
    if (!results.missing.empty()) {
        parts.push_back(fmt::format("{} without a result yet", results.missing.size()));
    }
    std::map<std::string, std::string> keys;  // → how it came first
    for (const RunResult& run : results.runs) {
        for (const LibraryUse& use : run.libraries) {
            std::string& outcome = keys[use.key];
            outcome = use.outcome == "built" ? use.outcome : outcome;
        }
    }
    const auto built = std::count_if(keys.begin(), keys.end(), [](const auto& key) { return key.second == "built"; });
    const std::string libraries = keys.empty() ? ""
                                               : fmt::format("; {} librar{}: {} built, {} from the store", keys.size(),
                                                             keys.size() == 1 ? "y" : "ies", built,
                                                             static_cast<std::ptrdiff_t>(keys.size()) - built);
    const std::size_t total = results.runs.size() + results.missing.size();
    return fmt::format("{} run{}: {}{}", total, total == 1 ? "" : "s", fmt::join(parts, ", "), libraries);
}

ordered_json report_json(const Session& session, const Results& results, const Table& table) {
    ordered_json json{{"schema", "metamorph-report-1"},     {"session", session.number()},
                      {"version", session.facts().version}, {"columns", ordered_json::array()},
                      {"rows", ordered_json::array()},      {"missing", results.missing}};
    for (const Column& column : table.columns) {
        json["columns"].push_back(column.name);
    }
    for (const RunResult& run : table.runs) {
        ordered_json row = ordered_json::object();
        for (const Column& column : table.columns) {
            const Cell cell = cell_of(run, column);
            row[column.name] = column.is_number ? (cell.number ? ordered_json(*cell.number) : ordered_json())
                                                : ordered_json(cell.text);
        }
        json["rows"].push_back(std::move(row));
    }
    return json;
}

ordered_json timeline_of(const Results& results) {
    ordered_json events = ordered_json::array();
    std::vector<double> lanes;  // when each is free
    std::vector<std::pair<double, int>> changes;
    for (const Bar& bar : bars_of(results)) {
        auto lane = std::find_if(lanes.begin(), lanes.end(), [&](double end) { return end <= bar.stage->began; });
        if (lane == lanes.end()) {
            lane = lanes.insert(lanes.end(), 0);
        }
        *lane = bar.stage->began + bar.stage->seconds;
        changes.emplace_back(bar.stage->began, bar.stage->slots);
        changes.emplace_back(*lane, -bar.stage->slots);
        events.push_back({{"name", bar.stage->name},
                          {"cat", name_of(bar.run->status)},
                          {"ph", "X"},
                          {"pid", 1},
                          {"tid", lane - lanes.begin() + 1},
                          {"ts", bar.stage->began * k_microseconds},
                          {"dur", bar.stage->seconds * k_microseconds},
                          {"args",
                           {{"run", bar.run->name},
                            {"slots", bar.stage->slots},
                            {"library", bar.stage->name == "weave" ? library_of(*bar.run) : ""},
                            {"peak_memory_bytes", bar.stage->peak_memory_bytes}}}});
    }
    std::sort(changes.begin(), changes.end());
    int used = 0;
    for (const auto& [when, by] : changes) {
        used += by;
        events.push_back(
            {{"name", "slots"}, {"ph", "C"}, {"pid", 1}, {"ts", when * k_microseconds}, {"args", {{"used", used}}}});
    }
    return {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
}

Result<const RunPlan*> find_run(const Session& session, const std::string& name) {
    std::vector<const RunPlan*> found;
    std::vector<std::string> names;
    for (const RunPlan& plan : session.plans()) {
        if (plan.name == name) {
            return &plan;
        }
        names.push_back(plan.name);
        if (plan.name.find(name) != std::string::npos) {
            found.push_back(&plan);
        }
    }
    if (found.size() == 1) {
        return found.front();
    }
    if (found.size() > 1) {
        constexpr std::size_t shown = 3;
        names.clear();
        for (std::size_t i = 0; i < std::min(found.size(), shown); ++i) {
            names.push_back(found[i]->name);
        }
        return fail_with_hint(
            ErrorCode::options, "RUN", fmt::format("'{}' is a part of {} names", printable(name), found.size()),
            fmt::format("write more of it: {}{}", fmt::join(names, ", "), found.size() > shown ? ", …" : ""));
    }
    const std::string nearest = did_you_mean(name, names);
    return fail_with_hint(ErrorCode::options, "RUN",
                          fmt::format("session {} has no run '{}'", session.number(), printable(name)),
                          nearest.empty() ? "'metamorph report --columns run,status' lists them" : nearest);
}

Explanation explain(const Session& session, const RunPlan& plan) {
    const auto folder = session.folder_of(plan);
    const std::optional<RunResult> result = session.result_of(plan);
    Explanation told;
    told.json = {{"schema", "metamorph-why-1"},
                 {"session", session.number()},
                 {"run", plan.name},
                 {"status", result ? name_of(result->status) : ""},
                 {"detail", result ? result->detail : ""},
                 {"hint", result ? result->hint : ""},
                 {"stage", result ? result->stage : ""},
                 {"command", ""},
                 {"log", ""},
                 {"folder", folder.string()},
                 {"libraries", ordered_json::array()},
                 {"repeat", ""}};
    if (!result) {
        told.text = fmt::format("{}: no result yet\ngo on with: metamorph matrix --resume --session {}\n", plan.name,
                                session.number());
        return told;
    }
    told.text = fmt::format("{}: {}{}{}\n", plan.name, name_of(result->status), result->detail.empty() ? "" : ": ",
                            result->detail);
    if (result->status == RunStatus::skipped) {
        return told;
    }
    const std::string command = command_of(plan, session.facts().settings, *result);
    const std::string log = (folder / result->log).string(), repeat = (folder / "repeat").string();
    told.json["command"] = command;
    told.json["log"] = log;
    told.json["repeat"] = repeat;
    if (result->status != RunStatus::right) {
        told.text += fmt::format("in the stage {}: {}\nlog: {}\n", result->stage, command, log);
        told.text += result->hint.empty() ? "" : fmt::format("hint: {}\n", result->hint);
    }
    told.json["libraries"] = json_of(*result).at("libraries");
    for (const LibraryUse& use : result->libraries) {
        told.text += library_line(use);
    }
    told.text += fmt::format("folder: {}\nrepeat it with: sh {}\n", folder.string(), quoted({repeat}));
    return told;
}

}  // namespace metamorph::matrix

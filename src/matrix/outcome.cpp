#include "matrix/outcome.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build/compile.h"
#include "matrix/output_check.h"
#include "util/hash.h"
#include "util/text.h"

namespace metamorph::matrix {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t k_detail_max = 400;

std::string text_at(store::Disk& disk, const fs::path& path) {
    return disk.read(path).value_or("");
}

ordered_json json_at(store::Disk& disk, const fs::path& path) {
    return ordered_json::parse(text_at(disk, path), nullptr, false);
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return printable(text, k_detail_max);
}

// "region `FLASH' overflowed by 1234 bytes", as GNU ld and lld write it; empty: no such line.
std::string overflow_in(const std::string& log) {
    const std::size_t at = log.find("overflowed by ");
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = log.rfind('\n', at), end = log.find('\n', at);
    const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
    return one_line(log.substr(first, end == std::string::npos ? end : end - first));
}

bool is_from_outside(int signal) {
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGKILL || signal == SIGQUIT;
}

Verdict of_compiler(const std::string& log) {
    if (log.find("No space left on device") != std::string::npos) {
        return {{}, "the disk is full", ""};
    }
    if (const std::string overflow = overflow_in(log); !overflow.empty()) {
        return {RunStatus::does_not_fit, overflow, ""};
    }
    const std::string first = build::first_errors(log, 1);
    return {RunStatus::build_failed, first.empty() ? "it printed nothing" : one_line(first), ""};
}

Verdict of_error(const Stage& stage, const ordered_json& error) {
    const std::string code = error.value("code", "internal");
    const std::string where = error.value("where", ""), message = error.value("message", "");
    std::string hint = error.value("hint", "");
    // A file that is somewhere else each time is no part of a report.
    const bool is_place = !where.empty() && !where.starts_with("/");
    const std::string detail = one_line(is_place ? fmt::format("{} ({})", message, where) : message);
    hint = where.empty() || is_place ? hint : fmt::format("{}: {}", where, hint);
    if (code == "system" || message.find("No space left on device") != std::string::npos) {
        return {{}, detail, hint};
    }
    const bool is_weaving = stage.name == "weave";
    if (is_weaving && code == "options" && where.starts_with("device ")) {
        return {RunStatus::does_not_fit, detail, hint};
    }
    if (code == "toolchain") {
        const bool is_library = where.starts_with("library '") || message.starts_with("library '");
        return {is_library            ? RunStatus::build_failed
                : is_weaving          ? RunStatus::generate_failed
                : stage.name == "run" ? RunStatus::build_failed
                                      : RunStatus::failed,
                detail, hint};
    }
    if (code == "check_failed") {
        return {RunStatus::diverged, detail, hint};
    }
    return {code == "internal" ? RunStatus::failed : RunStatus::refused, detail, hint};
}

// What is_right() of both commands says no to, in their words.
std::pair<RunStatus, std::string> told_by(const ordered_json& failures, const ordered_json& proved) {
    for (const ordered_json& failure : failures) {
        const std::string kind = failure.at("kind");
        const std::string symptom = failure.value("symptom", kind);
        const bool is_stuck = kind.find("no-progress") != std::string::npos || kind == "task-never-fits" ||
                              symptom.find("no-progress") != std::string::npos;
        const std::string what = failure.contains("what") ? failure.at("what") : failure.at("detail");
        return {is_stuck ? RunStatus::no_progress : RunStatus::diverged,
                one_line(fmt::format("{} {}: {}", kind, failure.value("id", ""), what))};
    }
    return {RunStatus::diverged,
            proved.value("equal_uninterrupted", true) ? "not all was looked at" : "it differs without any power cut"};
}

void read_device(const ordered_json& device, RunResult& result) {
    auto& figures = result.figures;
    const ordered_json& each = device.at("woven_each");
    for (const char* name : {"instructions", "loads", "stores", "cycles", "microseconds", "microjoules", "bus_bytes"}) {
        figures[name] = each.at(name);
    }
    figures["nvm_bytes_written"] = each.at("nvm_bytes_written");
    figures["plain_instructions"] = device.at("plain_each").at("instructions");
    for (const char* name : {"code", "constants", "variables", "stack"}) {
        figures[name] = device.at("woven_memory").at(name);
    }
    for (const char* name : {"instruction_ratio", "write_ratio", "nvm_bytes", "states", "boots", "torn_states"}) {
        figures[name] = device.at(name);
    }
    figures["cuts"] = device.at("write_units");
    figures["crossing_bytes"] = device.at("crossing_bytes_per_inference");
    figures["tasks_count"] = static_cast<double>(device.at("task_names").size());
}

void read_host(const ordered_json& woven, RunResult& result) {
    auto& figures = result.figures;
    figures["nvm_bytes"] = woven.at("nvm_bytes");
    figures["nvm_bytes_written"] = woven.at("nvm_bytes_written_per_inference");
    figures["crossing_bytes"] = woven.at("crossing_bytes_per_inference");
    figures["write_ratio"] = woven.at("write_ratio");
    figures["cuts"] = woven.at("cuts").at("cuts_tried");
    figures["tasks_count"] = static_cast<double>(woven.at("task_names").size());
}

void check_output(store::Disk& disk, const fs::path& folder, const RunPlan& plan, const RunSettings& settings,
                  const ordered_json& device, RunResult& result) {
    if (plan.expected.empty()) {
        return;
    }
    std::string actual;
    for (const ordered_json& output : device.at("outputs")) {
        actual += bytes_of(output.get<std::string>());
    }
    const std::string expected = text_at(disk, folder / "inputs" / plan.expected);
    result.output = compare_outputs(expected, actual, plan.is_expected_float, settings.inferences, plan.tolerance);
    if (result.status != RunStatus::right) {
        return;
    }
    if (!result.output) {
        result.status = RunStatus::unexpected;
        result.detail = fmt::format("it gives {} B, and {} B are expected", actual.size(), expected.size());
    } else if (!result.output->is_within_tolerance) {
        result.status = RunStatus::unexpected;
        result.detail = fmt::format("outputs differ from the expected ones by up to {}; same answer in {} of {}",
                                    result.output->greatest, result.output->same_answer, result.output->inferences);
    }
}

}  // namespace

Verdict verdict_of(store::Disk& disk, const fs::path& folder, const CommandEnd& end) {
    const ProcessOutcome& outcome = end.outcome;
    if (outcome.end == ProcessOutcome::End::timed_out) {
        return {RunStatus::timed_out,
                fmt::format("{} did not end within its time (limits.stage_seconds)", end.stage.name), ""};
    }
    if (outcome.end == ProcessOutcome::End::signalled && is_from_outside(outcome.signal)) {
        return {{}, fmt::format("{} was ended: {}", end.stage.name, outcome.print()), ""};
    }
    if (end.command.output.empty()) {
        return of_compiler(text_at(disk, folder / end.command.log));
    }
    const ordered_json json = json_at(disk, folder / end.command.output);
    if (!json.is_discarded() && json.is_object() && json.contains("error")) {
        return of_error(end.stage, json.at("error"));
    }
    return {RunStatus::failed, fmt::format("{} ended with {}", end.stage.name, outcome.print()), ""};
}

std::vector<LibraryUse> libraries_of(store::Disk& disk, const fs::path& folder) {
    std::vector<LibraryUse> uses;
    const ordered_json weave = json_at(disk, folder / "logs/weave.json");
    try {
        for (const ordered_json& one : weave.at("libraries")) {
            LibraryUse use{one.at("name"), one.at("key"), one.at("outcome"), one.at("seconds"), one.at("nearest"), {}};
            for (const ordered_json& difference : one.at("differences")) {
                use.differences.push_back(difference.at("field"));
            }
            uses.push_back(std::move(use));
        }
    } catch (const nlohmann::json::exception&) {
        return {};
    }
    return uses;
}

Status read_outcome(store::Disk& disk, const fs::path& folder, const RunPlan& plan, const RunSettings& settings,
                    RunResult& result) {
    const fs::path path = folder / stages_of(plan, settings).back().commands.back().output;
    try {
        const ordered_json proof = json_at(disk, path), weave = json_at(disk, folder / "logs/weave.json");
        const ordered_json& device = proof.at(plan.is_host() ? "woven" : "devices").at(0);
        plan.is_host() ? read_host(device, result) : read_device(device, result);
        result.status = RunStatus::right;
        if (!proof.at("right").get<bool>()) {
            const ordered_json& failures = plan.is_host() ? device.at("cuts").at("failures") : device.at("failures");
            std::tie(result.status, result.detail) = told_by(failures, device);
        }
        if (!plan.is_host()) {
            check_output(disk, folder, plan, settings, device, result);
        }
        const fs::path elf = folder / elf_of(plan, weave.at("app_target"));
        MM_TRY(const std::string firmware, disk.read(elf));
        result.elf_sha256 = sha256_hex(firmware);
    } catch (const nlohmann::json::exception& thrown) {
        return fail(ErrorCode::system, path.string(), "this is not as expected: {}", thrown.what());
    }
    return {};
}

}  // namespace metamorph::matrix

#include "report/verify_result.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

namespace metamorph::report {
namespace {

using nlohmann::ordered_json;

std::string indented(const std::string& text) {
    std::string lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines += "  " + line + "\n";
    }
    return lines;
}

std::string proof_text(const VerifiedDevice& d) {
    if (d.places > 0) {
        return fmt::format("  power cuts           {} run one by one, of {} places for a first cut, in {:.1f} s\n",
                           d.cuts, d.places, d.search_seconds);
    }
    return fmt::format(
        "  power cuts           {} write units; {} images of NVM booted{} in {:.1f} s\n"
        "                       (recorded in {:.1f} s; {} passes, {} boots in all, {} torn writes among them)\n",
        d.units, d.states,
        d.is_exhaustive ? (d.method == "graph" ? ": every one that any number of cuts can leave," : "") : ", NOT all,",
        d.search_seconds, d.recording_seconds, d.passes, d.boots, d.torn_states);
}

std::string failure_text(const VerifyFailure& f) {
    std::string text = fmt::format("    {}{} in task {}: {}\n", f.kind,
                                   f.kind == f.symptom ? "" : fmt::format(" (seen as {})", f.symptom), f.task, f.what);
    if (!f.id.empty()) {
        text += fmt::format("      after cuts {}{}; see it again with --replay {}\n", f.id,
                            f.where.empty() ? "" : ", the last at " + f.where, f.id);
    }
    return text;
}

std::string part_text(const ExecutedPart& part) {
    const Executed& e = part.executed;
    return fmt::format("    {:<40} {:>12} {:>12} {:>11} {:>11} {:>9} {:>9}\n", part.name, std::llround(e.cycles),
                       e.instructions, e.loads, e.stores, e.nvm_bytes_read, e.nvm_bytes_written);
}

// The parts that cost most, in the order that they have.
std::string parts_text(const char* title, const std::vector<ExecutedPart>& parts) {
    constexpr std::size_t k_told = 6;
    if (parts.empty()) {
        return "";
    }
    std::vector<double> cycles;
    for (const ExecutedPart& part : parts) {
        cycles.push_back(part.executed.cycles);
    }
    std::sort(cycles.rbegin(), cycles.rend());
    const double least = cycles[std::min(k_told, cycles.size()) - 1];
    std::string text = fmt::format("    {:<40} {:>12} {:>12} {:>11} {:>11} {:>9} {:>9}\n", title, "cycles",
                                   "instructions", "loads", "stores", "NVM read", "written");
    std::size_t told = 0;
    for (const ExecutedPart& part : parts) {
        if (part.executed.cycles >= least && told < k_told) {
            text += part_text(part);
            ++told;
        }
    }
    return told == parts.size() ? text
                                : text + fmt::format("    and {} that cost less (--json)\n", parts.size() - told);
}

std::string cost_text(const VerifiedDevice& d) {
    const Executed& e = d.woven_each;
    return fmt::format(
               "  cost                 {} cycles an inference by the core's table (docs/cycles.md): {:.3f} ms at "
               "{:g} MHz, {:.2f} uJ\n",
               std::llround(e.cycles), e.microseconds * 1e-3, static_cast<double>(d.clock_hz) * 1e-6, e.microjoules) +
           parts_text("by task", d.by_task) + parts_text("by function", d.by_function);
}

std::string device_text(const VerifiedDevice& d) {
    std::string text = fmt::format("{} ({}, {} NVM, {}), {} tasks (--tasks {}), {} bytes of NVM\n", d.device, d.core,
                                   d.nvm, d.toolchain, d.tasks.size(), d.split, d.nvm_bytes);
    text += indented(d.sizes);
    for (const std::string& life : d.lives) {
        text += "  " + life + "\n";
    }
    if (!d.lives.empty()) {
        text += d.failures.empty() ? "  nothing is wrong with it\n" : "";
    } else {
        text += fmt::format("  uninterrupted        {} the plain program; {} instructions an inference, {:.4f}x\n",
                            d.is_equal_uninterrupted ? "equals" : "DIFFERS FROM", d.woven_each.instructions,
                            d.instruction_ratio());
        text += fmt::format(
            "  NVM writes           {} B an inference; {} B cross task boundaries, {} B are commit records ({:.3f}x)\n",
            d.woven_each.nvm_bytes_written, d.crossing_bytes, d.commit_record_bytes, d.write_ratio());
        text += cost_text(d);
        text += proof_text(d);
        text += fmt::format("  failures             {}\n", d.failures.size());
    }
    for (const VerifyFailure& failure : d.failures) {
        text += failure_text(failure);
    }
    return text;
}

double rounded(double value) {  // to thousandths: what lies behind is noise
    return std::round(value * 1e3) / 1e3;
}

ordered_json executed_json(const Executed& e) {
    return {{"instructions", e.instructions},
            {"loads", e.loads},
            {"stores", e.stores},
            {"nvm_bytes_read", e.nvm_bytes_read},
            {"nvm_bytes_written", e.nvm_bytes_written},
            {"bus_bytes", e.bus_bytes},
            {"cycles", std::llround(e.cycles)},
            {"microseconds", rounded(e.microseconds)},
            {"microjoules", rounded(e.microjoules)},
            {"emulator_seconds", e.seconds}};
}

ordered_json memory_json(const MemoryUse& m) {
    return {{"code", m.code}, {"constants", m.constants}, {"variables", m.variables}, {"stack", m.stack}};
}

std::string hexadecimal(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

ordered_json part_json(const ExecutedPart& part) {
    ordered_json json = executed_json(part.executed);
    json.erase("emulator_seconds");
    return json;
}

}  // namespace

ordered_json json_of(const VerifiedDevice& d) {
    ordered_json json{{"device", d.device},
                      {"core", d.core},
                      {"nvm", d.nvm},
                      {"toolchain", d.toolchain},
                      {"tasks", d.split},
                      {"task_names", d.tasks},
                      {"nvm_bytes", d.nvm_bytes},
                      {"crossing_bytes_per_inference", d.crossing_bytes},
                      {"commit_record_bytes_per_inference", d.commit_record_bytes},
                      {"plain", executed_json(d.plain)},
                      {"woven", executed_json(d.woven)},
                      {"plain_each", executed_json(d.plain_each)},
                      {"woven_each", executed_json(d.woven_each)},
                      {"plain_memory", memory_json(d.plain_memory)},
                      {"woven_memory", memory_json(d.woven_memory)},
                      {"instruction_ratio", d.instruction_ratio()},
                      {"write_ratio", d.write_ratio()},
                      {"equal_uninterrupted", d.is_equal_uninterrupted},
                      {"method", d.method},
                      {"exhaustive", d.is_exhaustive},
                      {"write_units", d.units},
                      {"significant_units", d.significant_units},
                      {"torn_states", d.torn_states},
                      {"states", d.states},
                      {"boots", d.boots},
                      {"passes", d.passes},
                      {"boot_instructions", d.boot_instructions},
                      {"places", d.places},
                      {"cuts", d.cuts},
                      {"build_seconds", d.build_seconds},
                      {"recording_seconds", d.recording_seconds},
                      {"search_seconds", d.search_seconds},
                      {"emulator_restarts", d.emulator_restarts},
                      {"sizes", d.sizes},
                      {"right", d.is_right()},
                      {"failures", ordered_json::array()}};
    json["instructions_by_task"] = d.task_instructions;
    json["instructions_by_function"] = ordered_json::object();
    for (const ExecutedPart& part : d.by_function) {
        json["instructions_by_function"][part.name] = part.executed.instructions;
    }
    json["outputs"] = ordered_json::array();
    for (const std::string& output : d.outputs) {
        json["outputs"].push_back(hexadecimal(output));
    }
    json["clock_hz"] = d.clock_hz;
    json["by_task"] = ordered_json::array();
    for (const ExecutedPart& part : d.by_task) {
        ordered_json task{{"task", part.name}};
        task.update(part_json(part));
        json["by_task"].push_back(std::move(task));
    }
    json["by_function"] = ordered_json::object();
    for (const ExecutedPart& part : d.by_function) {
        json["by_function"][part.name] = part_json(part);
    }
    for (const VerifyFailure& f : d.failures) {
        json["failures"].push_back({{"kind", f.kind},
                                    {"symptom", f.symptom},
                                    {"id", f.id},
                                    {"task", f.task},
                                    {"what", f.what},
                                    {"where", f.where}});
    }
    if (!d.lives.empty()) {
        json["lives"] = d.lives;
    }
    return json;
}

double VerifiedDevice::instruction_ratio() const {
    return plain_each.instructions == 0
               ? 0
               : static_cast<double>(woven_each.instructions) / static_cast<double>(plain_each.instructions);
}

double VerifiedDevice::write_ratio() const {
    const std::int64_t least = crossing_bytes + commit_record_bytes;
    return least == 0 ? 1 : static_cast<double>(woven_each.nvm_bytes_written) / static_cast<double>(least);
}

bool VerifyResult::is_right() const {
    return std::all_of(devices.begin(), devices.end(), [](const VerifiedDevice& d) { return d.is_right(); });
}

std::string text_of(const VerifyResult& result) {
    std::string text = result.explanation;
    text += fmt::format("{}: {} {}, inputs: {}\n\n", result.model_file, result.inferences,
                        result.inferences == 1 ? "inference" : "inferences", result.inputs);
    for (const std::string& note : result.notes) {
        text += fmt::format("note: {}\n", note);
    }
    text += result.notes.empty() ? "" : "\n";
    bool is_whole = true, is_replay = false;
    for (const VerifiedDevice& device : result.devices) {
        text += device_text(device) + "\n";
        is_whole = is_whole && device.is_exhaustive && device.method == "graph";
        is_replay = is_replay || !device.lives.empty();
    }
    if (!result.is_right()) {
        return text + "NOT PROVEN: see the failures above\n";
    }
    if (is_replay) {
        return text;
    }
    return text + (is_whole
                       ? "proven: after any number of power cuts, at any instruction, every result equals the plain "
                         "program's, bit for bit\n(what that rests on: docs/proof.md)\n"
                       : "every cut that was tried is survived\n");
}

ordered_json json_of(const VerifyResult& result) {
    ordered_json json{
        {"schema", "metamorph-verify-1"},  {"model", result.model_file}, {"model_sha256", result.model_sha256},
        {"inferences", result.inferences}, {"inputs", result.inputs},    {"right", result.is_right()},
        {"devices", ordered_json::array()}};
    for (const VerifiedDevice& device : result.devices) {
        json["devices"].push_back(json_of(device));
    }
    json["notes"] = result.generator_notes;
    for (const std::string& note : result.notes) {
        json["notes"].push_back(note);
    }
    if (!result.explanation.empty()) {
        json["explanation"] = result.explanation;
    }
    return json;
}

}  // namespace metamorph::report

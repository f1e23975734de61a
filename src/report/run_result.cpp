#include "report/run_result.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::report {
namespace {

using nlohmann::ordered_json;

std::string accuracy_text(const Accuracy& a) {
    return fmt::format("{}image {} is a {}; the network says {}\naccuracy {}/{} = {:.2f} %, by the generated C\n\n",
                       a.drawing, a.shown_index, a.shown_label, a.shown_answer, a.right, a.images,
                       100.0 * a.right / a.images);
}

std::string failures_text(const CutSummary& cuts) {
    std::string text;
    for (const CutFailure& f : cuts.failures) {
        text += fmt::format("    {} in task {}: {} {}\n", f.id, f.task, f.kind, f.detail);
    }
    if (cuts.wrong_count > cuts.failures.size()) {
        text += fmt::format("    … and {} more\n", cuts.wrong_count - cuts.failures.size());
    }
    if (!cuts.failures.empty()) {
        text += fmt::format("    see one again with --replay {}\n", cuts.failures.front().id);
    }
    return text;
}

std::string woven_text(const WovenResult& w) {
    std::string text =
        fmt::format("{} NVM, {} tasks (--tasks {}{}{}), {} bytes of NVM\n", w.mode, w.tasks.size(), w.split,
                    w.slices.empty() ? "" : " --slice ", fmt::join(w.slices, " --slice "), w.nvm_bytes);
    text += fmt::format("  uninterrupted        {} the plain program\n",
                        w.is_equal_uninterrupted ? "equals" : "DIFFERS FROM");
    text += fmt::format(
        "  NVM writes           {} B an inference; {} B cross task boundaries, {} B are commit records ({:.3f}x)\n",
        w.nvm_bytes_written_per_inference, w.crossing_bytes, w.commit_record_bytes, w.write_ratio());
    if (w.cuts) {
        const CutSummary& c = *w.cuts;
        text += fmt::format(
            "  power cuts           {} of {} places ({} write units), {} more during recovery, in {:.1f} s\n",
            c.cuts_tried, c.units_total + 1, c.units_total, c.second_cuts_tried, c.seconds);
        if (c.cuts_tried < c.cuts_planned) {
            text += fmt::format("  the time was over    {} of {} planned cuts were tried, {} of {} at commit records\n",
                                c.cuts_tried, c.cuts_planned, std::min(c.cuts_tried, c.cuts_first), c.cuts_first);
        }
        text += fmt::format("  wrong results        {}\n", c.wrong_count);
        text += fmt::format("  reboots              {}, tasks run again {}\n", c.reboots, c.tasks_run_again);
        text += failures_text(c);
    }
    return text;
}

ordered_json cuts_json(const CutSummary& c) {
    ordered_json json{{"units_total", c.units_total},
                      {"cuts_planned", c.cuts_planned},
                      {"cuts_first", c.cuts_first},
                      {"cuts_tried", c.cuts_tried},
                      {"second_cuts_tried", c.second_cuts_tried},
                      {"wrong", c.wrong_count},
                      {"reboots", c.reboots},
                      {"tasks_run_again", c.tasks_run_again},
                      {"recoveries_ended_early", c.recoveries_ended_early},
                      {"seconds", c.seconds},
                      {"failures", ordered_json::array()}};
    for (const CutFailure& f : c.failures) {
        json["failures"].push_back({{"id", f.id}, {"kind", f.kind}, {"task", f.task}, {"detail", f.detail}});
    }
    return json;
}

ordered_json woven_json(const WovenResult& w) {
    ordered_json json{{"nvm", w.mode},
                      {"tasks", w.split},
                      {"slices", w.slices},
                      {"task_names", w.tasks},
                      {"nvm_bytes", w.nvm_bytes},
                      {"crossing_bytes_per_inference", w.crossing_bytes},
                      {"commit_record_bytes_per_inference", w.commit_record_bytes},
                      {"nvm_bytes_written_per_inference", w.nvm_bytes_written_per_inference},
                      {"write_ratio", w.write_ratio()},
                      {"equal_uninterrupted", w.is_equal_uninterrupted},
                      {"right", w.is_right()}};
    json["cuts"] = w.cuts ? cuts_json(*w.cuts) : ordered_json(nullptr);
    return json;
}

}  // namespace

double WovenResult::write_ratio() const {
    const std::int64_t least = crossing_bytes + commit_record_bytes;
    return least == 0 ? 1.0 : static_cast<double>(nvm_bytes_written_per_inference) / static_cast<double>(least);
}

bool RunResult::is_right() const {
    return std::all_of(woven.begin(), woven.end(), [](const WovenResult& w) { return w.is_right(); });
}

std::string text_of(const RunResult& result) {
    std::string text;
    if (!result.explanation.empty()) {
        text += result.explanation + "\n";
    }
    if (result.accuracy) {
        text += accuracy_text(*result.accuracy);
    }
    text += fmt::format("{}: {} {}, inputs: {}\n\n", result.model_file, result.inferences,
                        result.inferences == 1 ? "inference" : "inferences", result.inputs);
    for (const std::string& note : result.notes) {
        text += fmt::format("note: {}\n", note);
    }
    text += result.notes.empty() ? "" : "\n";
    for (const WovenResult& woven : result.woven) {
        text += woven_text(woven) + "\n";
    }
    bool has_cuts = false;
    for (const WovenResult& woven : result.woven) {
        has_cuts = has_cuts || woven.cuts.has_value();
    }
    if (!result.is_right()) {
        return text + "WRONG: the woven program does not always give the result of the plain one\n";
    }
    return text + (has_cuts ? "all cuts survived: every result equals the plain program's, bit for bit\n"
                            : "the result equals the plain program's, bit for bit\n");
}

ordered_json json_of(const RunResult& result) {
    ordered_json json{
        {"schema", "metamorph-run-1"},     {"model", result.model_file},    {"model_sha256", result.model_sha256},
        {"inferences", result.inferences}, {"inputs", result.inputs},       {"seed", result.seed},
        {"right", result.is_right()},      {"woven", ordered_json::array()}};
    for (const WovenResult& woven : result.woven) {
        json["woven"].push_back(woven_json(woven));
    }
    if (result.accuracy) {
        json["accuracy"] = {{"images", result.accuracy->images}, {"right", result.accuracy->right}};
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

// --explain: the classification of every function, the placement of every variable, every write-after-read and its
// resolution.
#include <map>

#include <fmt/format.h>

#include "tasks/classify.h"
#include "weave/device_fit.h"
#include "weave/weave.h"
#include "weave/writers.h"

namespace metamorph::weave {
namespace {

std::string step_name(const WeaveInput& input, int step) {
    return step < 0 ? "(initial value)" : input.chain->steps[static_cast<std::size_t>(step)].label();
}

std::string functions(const WeaveInput& input) {
    std::string text = "Functions\n";
    for (const tasks::Classified& c : tasks::classify(*input.chain)) {
        text += fmt::format("  {:<20} {:<44} {}\n", tasks::name_of(c.function_class), c.function, c.reason);
    }
    return text;
}

// What the steps of a task store into NVM themselves, a byte counted once.
std::int64_t bytes_written_in_place(const WeaveInput& input, const tasks::PlannedTask& planned) {
    std::map<std::int64_t, IntervalSet> written;  // of a home: where it begins → bytes of the object
    for (int s = planned.first_step; s <= planned.last_step; ++s) {
        for (const tasks::ChainAccess& access : input.chain->steps[static_cast<std::size_t>(s)].accesses) {
            const auto at = input.plan->pointers.find({s, access.argument});
            if (at != input.plan->pointers.end() && at->second.in_nvm) {
                written[at->second.at].add(access.writes);
            }
        }
    }
    std::int64_t bytes = 0;
    for (const auto& [home, set] : written) {
        bytes += set.bytes();
    }
    return bytes;
}

std::string task_lines(const WeaveInput& input) {
    std::string text = "\nTasks\n";
    for (int t = 0; t < input.chain->tasks(); ++t) {
        const tasks::PlannedTask& planned = input.plan->tasks[static_cast<std::size_t>(t)];
        const auto sum = [](const std::vector<tasks::Transfer>& list) {
            std::int64_t bytes = 0;
            for (const tasks::Transfer& transfer : list) {
                bytes += transfer.bytes;
            }
            return bytes;
        };
        text += fmt::format(
            "  {:>3}  {:<52} fetches {:>7} B after a reboot, commits {:>7} B, writes {:>7} B in place\n", t,
            task_name(input, t), sum(planned.fetch), sum(planned.commit), bytes_written_in_place(input, planned));
    }
    return text;
}

std::string variables(const WeaveInput& input) {
    std::string text = "\nVariables\n";
    for (const tasks::Variable& v : input.plan->variables) {
        const std::string home = v.home < 0 ? "SRAM" : fmt::format("NVM {}", v.home);
        text += fmt::format("  {:<24} {} {} ({} B, {} B cross), {}, by {}\n      {}\n", tasks::name_of(v.placement),
                            input.chain->object(v.object).name, v.bytes.print(), v.bytes.bytes(), v.crossing_bytes,
                            home, step_name(input, v.writer_step), v.reason);
    }
    return text;
}

std::string resolution(const WeaveInput& input, const tasks::WriteAfterRead& war) {
    for (const tasks::Variable& v : input.plan->variables) {
        if (v.writer_step == war.write_step && v.object == war.object && v.bytes.intersects(war.bytes) && v.home < 0) {
            return "the new value stays in SRAM, so what the task reads keeps its home in NVM to itself";
        }
    }
    return "what it reads and what it leaves have homes without a common byte";
}

std::string write_after_reads(const WeaveInput& input) {
    std::string text = "\nWrite-after-read\n";
    for (const tasks::WriteAfterRead& war : input.plan->write_after_reads) {
        text += fmt::format(
            "  task {}: {} reads {} {}, and {} overwrites it. Run again after a cut, the task would read its own "
            "result.\n"
            "      Resolved: {}.\n",
            war.task, step_name(input, war.read_step), input.chain->object(war.object).name, war.bytes.print(),
            step_name(input, war.write_step), resolution(input, war));
    }
    if (input.plan->write_after_reads.empty()) {
        text += "  none: no task overwrites bytes that it has read from an earlier task\n";
    }
    return text;
}

// Where the front end could not bound an access exactly: what is saved may be more than what is needed, never less.
std::string inexact(const WeaveInput& input) {
    std::string text;
    for (const tasks::ChainStep& step : input.chain->steps) {
        for (const tasks::ChainAccess& access : step.accesses) {
            if (!access.reason.empty()) {
                text += fmt::format("  {} on {}: {}\n", step.label(), input.chain->object(access.object).name,
                                    access.reason);
            }
        }
    }
    return text.empty() ? text : "\nAccesses that are not exact\n" + text;
}

}  // namespace

std::string explain(const WeaveInput& input) {
    const std::string fit = input.device == nullptr ? "" : "\n" + print_fit(*input.chain, *input.plan, *input.device);
    return functions(input) + task_lines(input) + variables(input) + write_after_reads(input) + inexact(input) + fit +
           fmt::format(
               "\nNVM {} B, crossing task boundaries {} B an inference, written {} B of data and {} B of commit "
               "records\n",
               input.plan->nvm_bytes, input.plan->crossing_bytes, input.plan->data_bytes_written,
               tasks::k_commit_record_bytes * input.chain->tasks());
}

}  // namespace metamorph::weave

// The command with the most options: where to cut, what to run on, how long. Its contradictions are a table.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "cli/execution.h"
#include "cli/values.h"
#include "util/text.h"

namespace metamorph::cli {
namespace {

constexpr std::uint64_t k_inferences_max = 1'000'000;
constexpr std::uint64_t k_budget_seconds_max = 7 * 24 * 3600;

struct Contradiction {
    const char* option;
    const char* other;
    const char* why;
};
constexpr auto k_contradictions = std::to_array<Contradiction>({
    {"--inputs", "--dataset", "a dataset brings its own inputs: leave one of them out"},
    {"--dataset", "--seed", "a dataset brings its own inputs: leave one of them out"},
    {"--replay", "--cut", "a replay cuts where the failure was: leave --cut out"},
    {"--replay", "--second", "a replay cuts where the failure was: leave --second out"},
    {"--replay", "--cut-budget", "a replay is a single run: leave --cut-budget out"},
});

// Meaningless where the project is woven already.
constexpr auto k_weaving_options = std::to_array<const char*>(
    {"--tasks", "--task-count", "--slice", "--nvm", "--prefix", "--explain", "--dump-after"});

// "cut:17" or "cut:17+3"
bool is_failure_id(const std::string& text) {
    constexpr std::string_view k_start = "cut:";
    const std::size_t plus = std::min(text.find('+'), text.size());
    const auto is_number = [](std::string_view part) {
        return !part.empty() && part.size() < 20 &&
               std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    };
    return text.starts_with(k_start) && plus > k_start.size() &&
           is_number(std::string_view(text).substr(k_start.size(), plus - k_start.size())) &&
           (plus == text.size() || is_number(std::string_view(text).substr(plus + 1)));
}

class Run : public ExecutionCommand {
public:
    Run(CLI::App& root, const std::vector<std::string>& frameworks)
        : ExecutionCommand(root, "run", "Run a woven application here, cutting its power everywhere",
                           {{"metamorph run digits_int8.tflite --tasks 3,3 --cut every",
                             "cuts the power at every write to non-volatile memory; every result must be right"},
                            {"metamorph run kws.tflite --tasks layer --nvm bus --cut 2000 --cut-budget 300",
                             "2,000 cuts, spread evenly, in at most five minutes"},
                            {"metamorph run digits_int8.tflite --tasks 3,3 --nvm mapped --replay cut:17+3",
                             "one failure again: the cut after write 17, and after write 3 of its recovery"},
                            {"metamorph run digits.onnx --generator emx-onnx-cgen --tasks layer",
                             "what another generator makes of it; 'metamorph frameworks' lists them"},
                            {"metamorph run app", "the project that metamorph weave wrote to the folder app"}}) {
        add_file("MODEL",
                 "a TensorFlow Lite file, or the folder of a woven project; other generators take other formats");
        add_generator(frameworks);
        add_weaving();
        add_cutting();
        add_value("--inferences", "N", "inputs in a row, cut between and inside them; default: 1");
        add_value("--inputs", "FILE", "raw bytes, one inference after another; default: random inputs");
        add_value("--dataset", "FILE", "labelled inputs (layout: models/digits/README.md); also tells the accuracy");
        add_value("--seed", "N", "of random inputs; default: 1");
        add_value("-j,--jobs", "N", "processes at once; default: as many as processors");
        add_value("--keep", "DIR", "keep the project and its build there; default: a scratch folder, removed");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        RunOptions options;
        static_cast<CommonOptions&>(options) = common();
        for (const Contradiction& contradiction : k_contradictions) {
            MM_CHECK(exclude(contradiction.option, contradiction.other, contradiction.why));
        }
        MM_CHECK(read_split(options));
        MM_CHECK(read_stages(options));
        MM_CHECK(read_cutting(options));
        MM_CHECK(read_inputs(options, k_inferences_max));
        MM_CHECK(read_dataset(options));
        MM_CHECK(read_resources(options.jobs, options.keep));
        MM_CHECK(read_model_or_project(options, k_weaving_options));
        if (!options.is_woven && !options.replay.empty() && options.nvm == Nvm::both) {
            return fail_with_hint(ErrorCode::options, "--replay",
                                  "the id of a failure belongs to one kind of non-volatile memory",
                                  "add --nvm mapped or --nvm bus, as the report says");
        }
        return commands.run(options);
    }

private:
    void add_weaving() {
        add_value("-t,--tasks", "SPLIT",
                  "how layers become tasks: whole, layer (default), a list of layers per task (3,3,3), or a number of "
                  "tasks (4)",
                  {"whole", "layer"});
        add_value("--task-count", "N", "a number of tasks, as --tasks N");
        add_slice();
        add_value("--nvm", "KIND", "non-volatile memory: mapped, bus, or both (default: one after the other)",
                  nvm_choices());
        add_flag("--explain", "tell what each function is for, and where each variable lives, why, and at what price");
        add_value("--prefix", "NAME", "what public C names begin with; default: made from the model's file name");
        add_value("--dump-after", "STAGE", "print what a stage found: import, generate, cfront, tasks or weave",
                  stage_choices());
    }

    void add_cutting() {
        add_value(
            "--cut", "WHERE",
            "every (default: after each write unit in turn), none, or a number of cuts, spread evenly; all writes "
            "of commit records are always among them",
            {"every", "none"});
        add_value(
            "--cut-budget", "SECONDS",
            "then no more cut is begun: those at commit records come first, the others spread evenly; the report says "
            "how many of how many");
        add_value("--second", "WHERE",
                  "a second cut while the first is recovered from: every, none, or how many a first cut; default: 1",
                  {"every", "none"});
        add_value("--replay", "ID", "repeat one failure by the id that the report gave it, as in cut:17+3");
    }

    Status read_stages(RunOptions& options) const {
        MM_TRY(options.dump_after, read_dump_after());
        if (const auto nvm = text("--nvm")) {
            MM_TRY(const std::size_t index, read_choice("--nvm", *nvm, nvm_choices()));
            options.nvm = static_cast<Nvm>(index);
        }
        return {};
    }

    Status read_cutting(RunOptions& options) const {
        if (const auto cut = text("--cut")) {
            MM_TRY(options.cuts, read_cuts("--cut", *cut));
        }
        if (const auto second = text("--second")) {
            MM_TRY(options.second_cuts, read_cuts("--second", *second));
        }
        if (const auto budget = text("--cut-budget")) {
            MM_TRY(options.cut_budget_seconds, read_number("--cut-budget", *budget, 1, k_budget_seconds_max));
        }
        if (options.cuts.kind == Cuts::Kind::none) {
            for (const char* other : {"--cut-budget", "--second"}) {
                if (has(other) && (std::string(other) != "--second" || options.second_cuts.kind != Cuts::Kind::none)) {
                    return fail_with_hint(
                        ErrorCode::options, other,
                        fmt::format("{} contradicts --cut none: there is nothing to spend it on", other),
                        "leave it out, or cut somewhere: --cut every");
                }
            }
            options.second_cuts = {Cuts::Kind::none, 0};
        }
        if (const auto replay = text("--replay")) {
            if (!is_failure_id(*replay)) {
                return fail_with_hint(ErrorCode::options, "--replay",
                                      fmt::format("'{}' is not the id of a failure", printable(*replay)),
                                      "the report gives it, as in cut:17 or cut:17+3");
            }
            options.replay = *replay;
        }
        return {};
    }

    Status read_dataset(RunOptions& options) const {
        if (const auto dataset = text("--dataset")) {
            options.dataset = *dataset;
            MM_CHECK(need_file("--dataset", options.dataset));
        }
        return {};
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_run(CLI::App& root, const std::vector<std::string>& frameworks) {
    return std::make_unique<Run>(root, frameworks);
}

}  // namespace metamorph::cli

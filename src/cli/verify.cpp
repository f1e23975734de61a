#include <array>
#include <limits>

#include <fmt/format.h>

#include "cli/execution.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

constexpr std::uint64_t k_inferences_max = 10'000, k_depth_max = 9;

struct Contradiction {
    const char* option;
    const char* other;
    const char* why;
};
constexpr auto k_contradictions = std::to_array<Contradiction>({
    {"--replay", "--depth", "a replay cuts where the failure was: leave --depth out"},
    {"--replay", "--no-merge", "a replay cuts where the failure was, and merges nothing anyway"},
    {"--resume", "--replay", "a replay has no state: leave one of them out"},
    {"--replay", "--cut", "a replay cuts where the failure was: leave --cut out"},
});

// Meaningless where the project is woven already.
constexpr auto k_weaving_options =
    std::to_array<const char*>({"--tasks", "--task-count", "--slice", "--device", "--prefix", "--explain"});

class Verify : public ExecutionCommand {
public:
    Verify(CLI::App& root, const std::vector<std::string>& devices, const std::vector<std::string>& frameworks)
        : ExecutionCommand(
              root, "verify", "Prove firmware in an emulator, for any number of power cuts",
              {{"metamorph verify digits_int8.tflite --tasks 3,3",
                "on every device that comes with Metamorph and has an emulator"},
               {"metamorph verify kws.tflite --device cortex-m4-spi,rv32imc-mapped", "on two of them, a task a layer"},
               {"metamorph verify kws.tflite --device cortex-m4-spi --replay 17~3+5", "one failure again, cut by cut"},
               {"metamorph verify app", "the project for a device that metamorph weave wrote to the folder app"}}) {
        add_file("MODEL",
                 "a TensorFlow Lite file, or the folder of a project woven for a device; other generators take other "
                 "formats");
        add_generator(frameworks);
        add_value(
            "--device", "DEVICES",
            "names that 'metamorph devices' lists, or descriptions of your own (.toml files), with commas between "
            "them; default: all that come with Metamorph, but for this host",
            devices);
        add_value("-t,--tasks", "SPLIT",
                  "how layers become tasks: whole, layer (default), a list of layers per task (3,3,3), or a number of "
                  "tasks (4)",
                  {"whole", "layer"});
        add_value("--task-count", "N", "a number of tasks, as --tasks N");
        add_slice();
        add_value("--toolchain", "NAME", "gcc or clang; default: the first that the device names", {"gcc", "clang"});
        add_value("--depth", "CUTS",
                  "cuts in a row: graph (default: any number), or a number; less is faster, and proves less",
                  {"graph", "1", "2"});
        add_flag("--no-merge",
                 "run one cut after the other to its end, merging nothing: a check of the method, hours for large "
                 "networks; with --depth 2 each recovery is cut everywhere, too");
        add_value("--cut", "N", "with --no-merge: so many first cuts, spread evenly; default: every place");
        add_value("--replay", "ID", "repeat one failure by the id that the report gave it, as in 17~3+5");
        add_value("--gdb", "FILE", "with --replay: write the state when power was last lost as an ELF core file");
        add_value("--resume", "FILE", "go on from the state that an interrupted run of the same command has left");
        add_value("--inferences", "N", "inputs in a row; default: 1");
        add_value("--inputs", "FILE", "raw bytes, one inference after another; default: random inputs");
        add_value("--seed", "N", "of random inputs; default: 1");
        add_value("-j,--jobs", "N", "emulators and compilers at once; default: as many as processors");
        add_value("--keep", "DIR", "keep the projects and their builds there; default: a scratch folder, removed");
        add_flag("--explain", "tell what each function is for, and where each variable lives, why, and at what price");
        add_value("--prefix", "NAME", "what public C names begin with; default: made from the model's file name");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        VerifyOptions options;
        static_cast<CommonOptions&>(options) = common();
        for (const Contradiction& contradiction : k_contradictions) {
            MM_CHECK(exclude(contradiction.option, contradiction.other, contradiction.why));
        }
        MM_CHECK(read_split(options));
        MM_CHECK(read_cutting(options));
        MM_CHECK(read_inputs(options, k_inferences_max));
        MM_CHECK(read_target(options));
        MM_CHECK(read_resources(options.jobs, options.keep));
        if (const auto resume = text("--resume")) {
            options.resume = *resume;
            MM_CHECK(need_file("--resume", options.resume));
        }
        MM_CHECK(read_model_or_project(options, k_weaving_options));
        return commands.verify(options);
    }

private:
    Status read_cutting(VerifyOptions& options) const {
        options.merges = !has("--no-merge");
        if (const auto depth = text("--depth"); depth && *depth != "graph") {
            MM_TRY(const std::uint64_t number, read_number("--depth", *depth, 1, k_depth_max));
            options.depth = static_cast<int>(number);
        }
        if (const auto cut = text("--cut")) {
            if (options.merges) {
                return fail_with_hint(ErrorCode::options, "--cut",
                                      "--cut is for --no-merge: the search looks at every cut",
                                      "leave it out, or add --no-merge");
            }
            MM_TRY(options.cuts_max, read_number("--cut", *cut, 1, std::numeric_limits<std::uint64_t>::max()));
        }
        if (const auto replay = text("--replay")) {
            if (replay->empty()) {
                return fail_with_hint(ErrorCode::options, "--replay", "'' is not the id of a failure",
                                      "the report gives it, as in 17, 17~3+5 or noise+17");
            }
            options.replay = *replay;
        }
        if (const auto gdb = text("--gdb")) {
            if (options.replay.empty()) {
                return fail_with_hint(ErrorCode::options, "--gdb",
                                      "--gdb is for --replay: it writes the state of a failure",
                                      "add --replay ID, with the id that the report gave it");
            }
            options.gdb = *gdb;
        }
        return {};
    }

    Status read_target(VerifyOptions& options) const {
        if (const auto toolchain = text("--toolchain")) {
            MM_CHECK(read_choice("--toolchain", *toolchain, {"gcc", "clang"}));
            options.toolchain = *toolchain;
        }
        if (const auto devices = text("--device")) {
            options.devices = split_list(*devices);
            for (const std::string& device : options.devices) {
                MM_CHECK(check_device("--device", device));
            }
        }
        return {};
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_verify(CLI::App& root, const std::vector<std::string>& devices,
                                        const std::vector<std::string>& frameworks) {
    return std::make_unique<Verify>(root, devices, frameworks);
}

}  // namespace metamorph::cli

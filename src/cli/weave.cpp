#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Weave : public Subcommand {
public:
    Weave(CLI::App& root, const std::vector<std::string>& devices, const std::vector<std::string>& frameworks)
        : Subcommand(root, "weave", "Write an application project that survives power failures",
                     {{"metamorph weave digits_int8.tflite -o app --tasks 3,3",
                       "two tasks of three layers each; non-volatile memory is mapped"},
                      {"metamorph weave digits_int8.tflite -o app --tasks 4 --nvm bus",
                       "four tasks, cut where the fewest bytes cross; memory behind SPI"},
                      {"metamorph weave digits_int8.tflite -o app --slice 1=4",
                       "a task a layer, and layer 1 in four slices, each a task of its own"},
                      {"metamorph weave digits_int8.tflite -o app --tasks layer --explain",
                       "a task a layer; tells where every variable lives, and why"}}) {
        add_file("MODEL",
                 "the network: a TensorFlow Lite file, quantised to int8; other generators take other formats");
        add_value("-o,--output", "DIR", "the folder to write to; made if there is none (required)");
        add_value("-t,--tasks", "SPLIT",
                  "how layers become tasks: whole, layer (default), a list of layers per task (3,3,3), or a number of "
                  "tasks (4)",
                  {"whole", "layer"});
        add_value("--task-count", "N", "a number of tasks, as --tasks N");
        add_slice();
        add_value("--nvm", "KIND", "non-volatile memory: mapped (default; tasks work in it) or bus (behind SPI)",
                  {"mapped", "bus"});
        add_value("--device", "DEVICE",
                  "firmware for a device: a name that 'metamorph devices' lists, or a description of your own (a .toml "
                  "file); default: a program for this machine",
                  devices);
        add_flag("--explain", "tell what each function is for, and where each variable lives, why, and at what price");
        add_value("--prefix", "NAME", "what public C names begin with; default: made from the model's file name");
        add_generator(frameworks);
        add_value("--dump-after", "STAGE", "print what a stage found: import, generate, cfront, tasks or weave",
                  stage_choices());
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        WeaveOptions options;
        static_cast<CommonOptions&>(options) = common();
        options.explain = has("--explain");
        MM_TRY(options.tasks, read_tasks());
        MM_TRY(options.slices, read_slices());
        MM_TRY(options.prefix, read_prefix());
        MM_TRY(options.dump_after, read_dump_after());
        if (const auto nvm = text("--nvm")) {
            MM_TRY(const std::size_t index, read_choice("--nvm", *nvm, {"mapped", "bus"}));
            options.nvm = static_cast<Nvm>(index);
        }
        if (const auto device = text("--device")) {
            MM_CHECK(exclude("--nvm", "--device", "the device says how its memory is attached"));
            MM_CHECK(check_device("--device", *device));
            options.device = *device;
        }
        MM_TRY(options.generator, read_generator());
        MM_TRY(options.model, read_model(options.generator, "metamorph weave MODEL -o DIR"));
        MM_TRY(options.output, needed("--output", "metamorph weave MODEL -o DIR"));
        MM_CHECK(check_output_folder("--output", options.output));
        return commands.weave(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_weave(CLI::App& root, const std::vector<std::string>& devices,
                                       const std::vector<std::string>& frameworks) {
    return std::make_unique<Weave>(root, devices, frameworks);
}

}  // namespace metamorph::cli

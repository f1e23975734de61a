#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Generate : public Subcommand {
public:
    explicit Generate(CLI::App& root)
        : Subcommand(
              root, "generate", "Write a model as plain C11, without tasks",
              {{"metamorph generate digits_int8.tflite -o digits",
                "C sources, a header and the weights in the folder digits"},
               {"metamorph generate digits_int8.tflite -o digits --prefix net", "all public names begin with net_"}}) {
        add_file("MODEL", "the network: a TensorFlow Lite file, quantised to int8");
        add_value("-o,--output", "DIR", "the folder to write to; made if there is none (required)");
        add_value("--prefix", "NAME", "what public C names begin with; default: made from the model's file name");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        GenerateOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_TRY(options.prefix, read_prefix());
        MM_TRY(options.model, needed("MODEL", "metamorph generate MODEL -o DIR"));
        MM_CHECK(need_file("MODEL", options.model));
        MM_TRY(options.output, needed("--output", "metamorph generate MODEL -o DIR"));
        MM_CHECK(check_output_folder("--output", options.output));
        return commands.generate(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_generate(CLI::App& root) {
    return std::make_unique<Generate>(root);
}

}  // namespace metamorph::cli

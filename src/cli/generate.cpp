#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Generate : public Subcommand {
public:
    Generate(CLI::App& root, const std::vector<std::string>& frameworks)
        : Subcommand(
              root, "generate", "Write a model as plain C11, without tasks",
              {{"metamorph generate digits_int8.tflite -o digits",
                "C sources, a header and the weights in the folder digits"},
               {"metamorph generate digits_int8.tflite -o digits --prefix net", "all public names begin with net_"},
               {"metamorph generate digits.onnx -o digits --generator emx-onnx-cgen",
                "what another generator makes of it; 'metamorph frameworks' lists them"}}) {
        add_file("MODEL",
                 "the network: a TensorFlow Lite file, quantised to int8; other generators take other formats");
        add_value("-o,--output", "DIR", "the folder to write to; made if there is none (required)");
        add_value("--prefix", "NAME", "what public C names begin with; default: made from the model's file name");
        add_generator(frameworks);
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        GenerateOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_TRY(options.prefix, read_prefix());
        MM_TRY(options.generator, read_generator());
        MM_TRY(options.model, read_model(options.generator, "metamorph generate MODEL -o DIR"));
        MM_TRY(options.output, needed("--output", "metamorph generate MODEL -o DIR"));
        MM_CHECK(check_output_folder("--output", options.output));
        return commands.generate(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_generate(CLI::App& root, const std::vector<std::string>& frameworks) {
    return std::make_unique<Generate>(root, frameworks);
}

}  // namespace metamorph::cli

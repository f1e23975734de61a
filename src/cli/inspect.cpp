#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Inspect : public Subcommand {
public:
    Inspect(CLI::App& root, const std::vector<std::string>& frameworks)
        : Subcommand(root, "inspect", "Show a model's layers, sizes and memory plan",
                     {{"metamorph inspect digits_int8.tflite",
                       "layers, shapes, multiply-accumulates, weights, and what the arena holds when"},
                      {"metamorph inspect digits_int8.tflite --json | jq .arena_bytes",
                       "the same as data: docs/command-line.md describes every field"},
                      {"metamorph inspect digits.onnx --generator emx-onnx-cgen",
                       "the steps of what another generator makes of it, as --tasks counts them"}}) {
        add_file("MODEL",
                 "the network: a TensorFlow Lite file, quantised to int8; other generators take other formats");
        add_value("--prefix", "NAME", "what names of C begin with; default: made from the model's file name");
        add_generator(frameworks);
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        InspectOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_TRY(options.prefix, read_prefix());
        MM_TRY(options.generator, read_generator());
        if (has("--prefix") && options.generator.is_native()) {
            return fail_with_hint(ErrorCode::options, "--prefix", "--prefix changes nothing that is shown here",
                                  "leave it out, or name another generator: --generator NAME");
        }
        MM_TRY(options.model, read_model(options.generator, "metamorph inspect MODEL"));
        return commands.inspect(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_inspect(CLI::App& root, const std::vector<std::string>& frameworks) {
    return std::make_unique<Inspect>(root, frameworks);
}

}  // namespace metamorph::cli

#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Inspect : public Subcommand {
public:
    explicit Inspect(CLI::App& root)
        : Subcommand(root, "inspect", "Show a model's layers, sizes and memory plan",
                     {{"metamorph inspect digits_int8.tflite",
                       "layers, shapes, multiply-accumulates, weights, and what the arena holds when"},
                      {"metamorph inspect digits_int8.tflite --json | jq .arena_bytes",
                       "the same as data: docs/command-line.md describes every field"}}) {
        add_file("MODEL", "the network: a TensorFlow Lite file, quantised to int8");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        InspectOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_TRY(options.model, needed("MODEL", "metamorph inspect MODEL"));
        MM_CHECK(need_file("MODEL", options.model));
        return commands.inspect(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_inspect(CLI::App& root) {
    return std::make_unique<Inspect>(root);
}

}  // namespace metamorph::cli

#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Frameworks : public Subcommand {
public:
    Frameworks(CLI::App& root, const std::vector<std::string>& names)
        : Subcommand(root, "frameworks", "List the generators of C that Metamorph can call, or describe one of them",
                     {{"metamorph frameworks", "a line each: what it takes, and whether it is installed"},
                      {"metamorph frameworks bakenn", "its options, what comes out, what it is known to do wrong"},
                      {"metamorph frameworks emx-onnx-cgen --show-command net.onnx",
                       "the exact command for this model, without running it"},
                      {"metamorph frameworks ./framework.toml", "a description of your own: docs/frameworks.md"}}) {
        add_optional_file("NAME", "a name of the list, or a description of your own (a .toml file); default: list all",
                          names);
        add_value("--show-command", "MODEL", "print the command that would be run for this model");
        add_generator_option();
        add_value("--prefix", "NAME", "what public C names begin with; default: made from the model's file name");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "list names alone");
    }

    Result<int> execute(const Commands& commands) const override {
        FrameworksOptions options;
        static_cast<CommonOptions&>(options) = common();
        options.framework = text("NAME");
        if (options.framework) {
            MM_CHECK(check_framework("NAME", *options.framework));
        }
        for (const char* option : {"--option", "--prefix"}) {
            if (has(option) && !has("--show-command")) {
                return fail_with_hint(ErrorCode::options, option,
                                      fmt::format("{} is for --show-command: it says what the command is for", option),
                                      "add --show-command MODEL");
            }
        }
        MM_TRY(options.prefix, read_prefix());
        MM_TRY(options.generator.options, read_generator_options());
        if (const auto model = text("--show-command")) {
            if (!options.framework) {
                return fail_with_hint(ErrorCode::options, "--show-command",
                                      "NAME is missing: which generator's command?",
                                      "metamorph frameworks NAME --show-command MODEL");
            }
            options.model = *model;
            std::error_code error;
            if (!std::filesystem::is_directory(options.model, error)) {
                MM_CHECK(need_file("--show-command", options.model));
            }
        }
        return commands.frameworks(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_frameworks(CLI::App& root, const std::vector<std::string>& names) {
    return std::make_unique<Frameworks>(root, names);
}

}  // namespace metamorph::cli

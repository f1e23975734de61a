#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Init : public Subcommand {
public:
    explicit Init(CLI::App& root)
        : Subcommand(root, "init", "Write a commented project file, metamorph.toml",
                     {{"metamorph init", "here, with the networks that lie here; never over one that is there"},
                      {"metamorph init app",
                       "in the folder app, then: metamorph matrix --list --project app/metamorph.toml"}}) {
        add_argument("FOLDER", "where to; default: here");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        InitOptions options;
        static_cast<CommonOptions&>(options) = common();
        if (const auto folder = text("FOLDER")) {
            MM_CHECK(need_folder("FOLDER", *folder));
            options.folder = *folder;
        }
        return commands.init(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_init(CLI::App& root) {
    return std::make_unique<Init>(root);
}

}  // namespace metamorph::cli

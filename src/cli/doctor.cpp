#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Doctor : public Subcommand {
public:
    Doctor(CLI::App& root, const std::vector<std::string>& frameworks)
        : Subcommand(root, "doctor", "Show what is installed, what is missing, and how to install it",
                     {{"metamorph doctor",
                       "compilers and tools with their versions; exit status 4 if one is missing "
                       "without which run does not work"},
                      {"metamorph doctor --json | jq -r .install", "only the command that installs what is missing"},
                      {"metamorph doctor --install emx-onnx-cgen",
                       "installs a generator that 'metamorph frameworks' lists, in an environment of its own"}}) {
        add_value("--install", "NAME", "install the generator of a framework: its pinned packages, in a private folder",
                  frameworks);
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "print only what is missing");
    }

    Result<int> execute(const Commands& commands) const override {
        DoctorOptions options;
        static_cast<CommonOptions&>(options) = common();
        if (const auto name = text("--install")) {
            MM_CHECK(check_framework("--install", *name));
            options.install = *name;
        }
        return commands.doctor(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_doctor(CLI::App& root, const std::vector<std::string>& frameworks) {
    return std::make_unique<Doctor>(root, frameworks);
}

}  // namespace metamorph::cli

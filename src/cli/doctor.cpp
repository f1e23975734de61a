#include "cli/subcommand.h"

namespace metamorph::cli {
namespace {

class Doctor : public Subcommand {
public:
    explicit Doctor(CLI::App& root)
        : Subcommand(root, "doctor", "Show what is installed, what is missing, and how to install it",
                     {{"metamorph doctor",
                       "compilers and tools with their versions; exit status 4 if one is missing "
                       "without which run does not work"},
                      {"metamorph doctor --json | jq -r .install", "only the command that installs what is missing"}}) {
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "print only what is missing");
    }

    Result<int> execute(const Commands& commands) const override {
        DoctorOptions options;
        static_cast<CommonOptions&>(options) = common();
        return commands.doctor(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_doctor(CLI::App& root) {
    return std::make_unique<Doctor>(root);
}

}  // namespace metamorph::cli

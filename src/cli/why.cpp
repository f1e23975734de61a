#include "cli/subcommand.h"

namespace metamorph::cli {
namespace {

class Why : public Subcommand {
public:
    explicit Why(CLI::App& root)
        : Subcommand(root, "why", "Tell why a run of a matrix came out as it did, and how to repeat it",
                     {{"metamorph why digits.native.cortex-m4-mapped.gcc.layer",
                       "its first error, the command, the log, the script that repeats it"},
                      {"metamorph why cortex-m4-mapped.gcc.whole", "a part of the name, if only one run has it"}}) {
        add_argument("RUN", "the name of a run, or a part that only one has");
        add_value("--session", "N", "the session; default: the latest");
        add_value("--sessions", "DIR", "where sessions are; default: metamorph-sessions");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        WhyOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_TRY(options.run, needed("RUN", "metamorph report --columns run,status lists them"));
        options.session = text("--session").value_or(options.session);
        options.sessions = text("--sessions").value_or(options.sessions.string());
        return commands.why(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_why(CLI::App& root) {
    return std::make_unique<Why>(root);
}

}  // namespace metamorph::cli

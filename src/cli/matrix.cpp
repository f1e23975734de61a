#include "cli/subcommand.h"
#include "cli/values.h"
#include "util/thread_pool.h"

namespace metamorph::cli {
namespace {

constexpr const char* k_choosing[] = {"--project",   "--model", "--generator", "--device",
                                      "--toolchain", "--tasks", "--list"};

class Matrix : public Subcommand {
public:
    explicit Matrix(CLI::App& root)
        : Subcommand(root, "matrix", "Run all combinations that a project file names, and keep every result",
                     {{"metamorph matrix --list", "the runs, and why some are left out"},
                      {"metamorph matrix", "all of them, into a new session; metamorph report shows it again"},
                      {"metamorph matrix quick --tasks whole --tasks 3,3",
                       "those of the group quick, with other splits than the project's"},
                      {"metamorph matrix --resume", "go on with the latest session; what is done stays done"}}) {
        add_argument("GROUP", "a group of the project file; default: all runs");
        add_value("--project", "FILE", "default: metamorph.toml");
        add_list("--model", "NAME", "instead of the project's: its models, or files: A,B; may be repeated");
        add_list("--generator", "NAME", "the same of generators");
        add_list("--device", "NAME", "the same of devices");
        add_list("--toolchain", "NAME", "the same of toolchains");
        add_list("-t,--tasks", "SPLIT", "the same of splits");
        add_flag("--list", "show the runs, and do none");
        add_flag("--resume", "go on with a session; what is done is not done again");
        add_flag("--retry", "with --resume: do anew what did not end Right");
        add_value("--session", "N", "with --resume: which; default: the latest");
        add_value("--sessions", "DIR", "where sessions are; default: metamorph-sessions, beside the project file");
        add_value("-j,--jobs", "N", "processes at once; default: as many as there are processors");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        MatrixOptions options;
        static_cast<CommonOptions&>(options) = common();
        options.resumes = has("--resume");
        options.retries = has("--retry");
        options.is_list = has("--list");
        MM_CHECK(check_resume());
        options.group = text("GROUP").value_or("");
        options.project = text("--project").value_or(options.project.string());
        options.models = values_of("--model");
        options.generators = values_of("--generator");
        options.devices = values_of("--device");
        options.toolchains = values_of("--toolchain");
        options.tasks = texts("--tasks");  // "3,3" is one
        options.session = text("--session").value_or(options.session);
        options.sessions = text("--sessions").value_or("");
        options.jobs = default_threads();
        if (const auto jobs = text("--jobs")) {
            MM_TRY(const std::uint64_t number, read_number("--jobs", *jobs, 1, k_threads_max));
            options.jobs = static_cast<int>(number);
        }
        return commands.matrix(options);
    }

private:
    // Of an option that may be repeated, each with several values: "a,b".
    std::vector<std::string> values_of(const std::string& option) const {
        std::vector<std::string> values;
        for (const std::string& text : texts(option)) {
            const std::vector<std::string> parts = split_list(text);
            values.insert(values.end(), parts.begin(), parts.end());
        }
        return values;
    }

    Status check_resume() const {
        if (!has("--resume")) {
            for (const char* option : {"--retry", "--session"}) {
                if (has(option)) {
                    return fail_with_hint(ErrorCode::options, option, fmt::format("{} belongs to --resume", option),
                                          "add --resume");
                }
            }
            return {};
        }
        for (const char* option : k_choosing) {
            if (has(option) && option != std::string("--project")) {
                return fail_with_hint(ErrorCode::options, option,
                                      fmt::format("{} contradicts --resume: the session says what is run", option),
                                      "leave one of them out");
            }
        }
        if (text("GROUP")) {
            return fail_with_hint(ErrorCode::options, "GROUP",
                                  "a group contradicts --resume: the session says what is run",
                                  "leave one of them out");
        }
        return {};
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_matrix(CLI::App& root) {
    return std::make_unique<Matrix>(root);
}

}  // namespace metamorph::cli

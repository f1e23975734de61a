#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

const std::vector<std::string> k_formats{"text", "csv", "markdown"};
const std::vector<std::string> k_sizes{"library", "layer", "function"};

class Report : public Subcommand {
public:
    explicit Report(CLI::App& root)
        : Subcommand(root, "report", "Show what came out of a session of metamorph matrix",
                     {{"metamorph report", "the latest one, as a table"},
                      {"metamorph report 3 --columns run,status,cycles --sort -cycles", "chosen columns, sorted"},
                      {"metamorph report --filter status!=Right --format markdown", "what is not right"},
                      {"metamorph report --compare 3 4 --fail-if 'instructions>+2%'",
                       "what changed from session 3 to 4; exit status 1 if a run got that much slower, or is no longer "
                       "right"},
                      {"metamorph report --timeline trace.json", "a trace of all stages, for Perfetto"}}) {
        add_argument("SESSION", "its number; default: the latest");
        add_value("--columns", "NAMES", "with commas between them (docs/matrix.md)");
        add_value("--sort", "COLUMN", "-COLUMN: descending");
        add_list("--filter", "CONDITION", "COLUMN=VALUE, also != < <= > >=; may be repeated: all must hold");
        add_value("--format", "FORMAT", "text, csv or markdown; default: text", k_formats);
        add_value("--compare", "EARLIER", "the changes since this session instead of the table");
        add_list("--fail-if", "CONDITION", "with --compare: exit status 1 where a change is so; may be repeated");
        add_value("--sizes", "BY", "instead of the table: bytes by library, layer or function", k_sizes);
        add_value("--timeline", "FILE", "write a trace that Perfetto opens");
        add_value("--sessions", "DIR", "where sessions are; default: metamorph-sessions");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        ReportOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_CHECK(exclude("--format", "--json", "a document has one form: leave one of them out"));
        options.session = text("SESSION").value_or(options.session);
        options.sessions = text("--sessions").value_or(options.sessions.string());
        if (const auto columns = text("--columns")) {
            options.columns = split_list(*columns);
        }
        options.sort = text("--sort").value_or("");
        options.filters = texts("--filter");
        if (const auto format = text("--format")) {
            MM_TRY(const std::size_t index, read_choice("--format", *format, k_formats));
            options.format = static_cast<ReportOptions::Format>(index);
        }
        if (const auto sizes = text("--sizes")) {
            MM_TRY(const std::size_t index, read_choice("--sizes", *sizes, k_sizes));
            options.sizes = static_cast<ReportOptions::Sizes>(index + 1);
        }
        options.compared = text("--compare").value_or("");
        options.fail_if = texts("--fail-if");
        options.timeline = text("--timeline").value_or("");
        if (!options.fail_if.empty() && options.compared.empty()) {
            return fail_with_hint(ErrorCode::options, "--fail-if", "there is nothing to compare with",
                                  "add --compare EARLIER");
        }
        for (const char* option : {"--columns", "--sort"}) {
            MM_CHECK(exclude("--sizes", option, "that belongs to the table: leave one of them out"));
        }
        for (const char* option : {"--format", "--timeline", "--sort", "--sizes"}) {
            MM_CHECK(exclude("--compare", option, "that belongs to the table: leave one of them out"));
        }
        return commands.report(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_report(CLI::App& root) {
    return std::make_unique<Report>(root);
}

}  // namespace metamorph::cli

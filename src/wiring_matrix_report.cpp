// metamorph report and why: they only read.
#include "wiring_matrix.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "matrix/change.h"
#include "matrix/map_sizes.h"
#include "matrix/report.h"
#include "util/file.h"
#include "wiring_output.h"

namespace metamorph::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::int64_t k_text_bytes_max = 64 << 20;

// Of runs without a map (of Clang, of the host, or that were not built) nothing is told, but for a remark.
Result<int> show_sizes(const ReportOptions& options, const matrix::Session& session, const matrix::Table& table) {
    const auto by = static_cast<matrix::SizesBy>(static_cast<int>(options.sizes) - 1);
    std::vector<matrix::RunSizes> runs;
    std::size_t without = 0;
    for (const matrix::RunResult& run : table.runs) {
        MM_TRY(const matrix::RunPlan* plan, matrix::find_run(session, run.name));
        const fs::path folder = session.folder_of(*plan);
        const auto weave = read_file(folder / "logs/weave.json", k_text_bytes_max);
        const ordered_json json =
            weave ? ordered_json::parse(reinterpret_cast<const char*>(weave->data()),
                                        reinterpret_cast<const char*>(weave->data()) + weave->size(), nullptr, false)
                  : ordered_json();
        const std::string target = json.is_object() ? json.value("app_target", "") : "";
        const auto map = read_file(folder / (matrix::elf_of(*plan, target).string() + ".map"), k_text_bytes_max);
        if (!map) {
            ++without;
            continue;
        }
        runs.push_back({run.name, matrix::sizes_in_map({reinterpret_cast<const char*>(map->data()), map->size()}, by)});
    }
    options.json ? print(matrix::json_of(runs, by))
                 : print(matrix::print(runs, static_cast<matrix::SizesForm>(options.format)));
    if (without > 0 && !options.json && !options.quiet) {
        remark(fmt::format("{} runs have no map: only those that gcc built for a device have one", without));
    }
    return 0;
}

Result<matrix::Session> open_to_read(store::Disk& disk, const fs::path& sessions, const std::string& which) {
    return matrix::Session::open(disk, fs::absolute(sessions), which, false);
}

}  // namespace

Result<int> run_report(const ReportOptions& options) {
    const std::unique_ptr<store::Disk> disk = store::make_real_disk();
    MM_TRY(const matrix::Session session, open_to_read(*disk, options.sessions, options.session));
    const matrix::Results results = matrix::results_of(session);
    MM_TRY(const matrix::Table table,
           matrix::make_table(results.runs, {options.columns, options.sort, options.filters}));
    if (!options.compared.empty()) {
        std::vector<matrix::Condition> conditions;
        for (const std::string& text : options.fail_if) {
            MM_TRY(matrix::Condition condition, matrix::parse_condition(text));
            conditions.push_back(std::move(condition));
        }
        MM_TRY(const matrix::Session earlier, open_to_read(*disk, options.sessions, options.compared));
        MM_TRY(const matrix::Table before,
               matrix::make_table(matrix::results_of(earlier).runs, {{}, "", options.filters}));
        std::vector<std::string> columns = options.columns;
        if (columns.empty()) {
            columns = matrix::default_columns();
            std::erase(columns, "seconds");  // no two are the same
        }
        const matrix::Comparison comparison = matrix::compare(before.runs, table.runs, columns, conditions);
        options.json ? print(matrix::json_of(comparison)) : print(matrix::text_of(comparison));
        return comparison.is_failed ? static_cast<int>(ErrorCode::check_failed) : 0;
    }
    if (!options.timeline.empty()) {
        MM_CHECK(write_file_if_changed(options.timeline, matrix::timeline_of(results).dump(1) + "\n"));
    }
    if (options.sizes != ReportOptions::Sizes::none) {
        return show_sizes(options, session, table);
    }
    if (options.json) {
        print(matrix::report_json(session, results, table));
        return 0;
    }
    switch (options.format) {
        case ReportOptions::Format::csv:
            print(matrix::csv_of(table));
            break;
        case ReportOptions::Format::markdown:
            print(matrix::markdown_of(table));
            break;
        case ReportOptions::Format::text:
            print(matrix::text_of(table));
            if (!options.quiet) {
                print(fmt::format("session {}: {}\n", session.number(), matrix::summary_of(results)));
            }
            break;
    }
    return 0;
}

Result<int> run_why(const WhyOptions& options) {
    const std::unique_ptr<store::Disk> disk = store::make_real_disk();
    MM_TRY(const matrix::Session session, open_to_read(*disk, options.sessions, options.session));
    MM_TRY(const matrix::RunPlan* plan, matrix::find_run(session, options.run));
    const matrix::Explanation told = matrix::explain(session, *plan);
    options.json ? print(told.json) : print(told.text);
    return 0;
}

}  // namespace metamorph::cli

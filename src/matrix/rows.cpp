#include "matrix/rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "project/points.h"
#include "util/text.h"

namespace metamorph::matrix {
namespace {

const std::vector<Column> k_columns{{"run", "its name", false},
                                    {"model", "", false},
                                    {"generator", "", false},
                                    {"device", "", false},
                                    {"toolchain", "", false},
                                    {"tasks", "the split", false},
                                    {"status", "Right, or what went wrong", false},
                                    {"stage", "where it ended", false},
                                    {"detail", "by how much, the first error, why it was skipped", false},
                                    {"generator_version", "", false},
                                    {"tasks_count", "tasks, taking the input and handing over included", true},
                                    {"instructions", "of an inference, woven", true},
                                    {"plain_instructions", "of an inference, not woven", true},
                                    {"instruction_ratio", "woven over plain", true},
                                    {"cycles", "of an inference", true},
                                    {"microseconds", "of an inference", true},
                                    {"microjoules", "of an inference", true},
                                    {"loads", "of an inference", true},
                                    {"stores", "of an inference", true},
                                    {"bus_bytes", "to and from an SPI chip, of an inference", true},
                                    {"code", "bytes of flash", true},
                                    {"constants", "bytes of flash", true},
                                    {"variables", "bytes of SRAM", true},
                                    {"stack", "bytes of SRAM, deepest", true},
                                    {"nvm_bytes", "bytes of NVM that it owns", true},
                                    {"nvm_bytes_written", "of an inference", true},
                                    {"crossing_bytes", "that cross tasks, of an inference", true},
                                    {"write_ratio", "NVM bytes written over those that have to be", true},
                                    {"cuts", "places where the power was cut", true},
                                    {"states", "crash states told apart", true},
                                    {"boots", "of the search", true},
                                    {"torn_states", "of the search", true},
                                    {"output", "exact, near, or what differs from what is expected", false},
                                    {"output_greatest", "difference from what is expected", true},
                                    {"same_answer", "inferences whose greatest output is where it is expected", true},
                                    {"library", "hit, built or waited: its runtime libraries", false},
                                    {"libraries", "their names and the starts of their keys", false},
                                    {"library_seconds", "to find, build or wait for them", true},
                                    {"elf", "SHA-256 of the firmware, its start", false},
                                    {"weave_seconds", "import, generation, weaving", true},
                                    {"build_seconds", "compilers", true},
                                    {"verify_seconds", "runs and proof", true},
                                    {"run_seconds", "on the host: build and cuts", true},
                                    {"seconds", "all stages", true}};

constexpr std::size_t k_elf_digits = 12, k_key_digits = 8;

std::string shown(double number) {
    return number == std::floor(number) && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                   : fmt::format("{:.3f}", number);
}

Cell number_cell(double number) {
    return {number, shown(number)};
}

std::string output_text(const RunResult& result) {
    if (!result.output) {
        return "";
    }
    return result.output->is_exact              ? "exact"
           : result.output->is_within_tolerance ? "near"
                                                : fmt::format("differs by {}", shown(result.output->greatest));
}

// "hit", "built", or of several "built+hit".
std::string library_text(const RunResult& result) {
    std::string text;
    for (const char* outcome : {"built", "waited", "hit"}) {
        const bool is_there = std::any_of(result.libraries.begin(), result.libraries.end(),
                                          [&](const LibraryUse& use) { return use.outcome == outcome; });
        text += is_there ? (text.empty() ? "" : "+") + std::string(outcome) : "";
    }
    return text;
}

std::string libraries_text(const RunResult& result) {
    std::string text;
    for (const LibraryUse& use : result.libraries) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", use.name, use.key.substr(0, k_key_digits));
    }
    return text;
}

std::optional<double> seconds_of(const RunResult& result, const std::string& stage) {
    std::optional<double> seconds;
    for (const StageRecord& record : result.stages) {
        if (stage.empty() || record.name == stage) {
            seconds = seconds.value_or(0) + record.seconds;
        }
    }
    return seconds;
}

std::optional<double> number_of(const RunResult& result, const std::string& name) {
    if (name == "seconds") {
        return seconds_of(result, "");
    }
    if (name == "library_seconds") {
        double seconds = 0;
        for (const LibraryUse& use : result.libraries) {
            seconds += use.seconds;
        }
        return result.libraries.empty() ? std::nullopt : std::optional(seconds);
    }
    if (name.ends_with("_seconds")) {
        return seconds_of(result, name.substr(0, name.find('_')));
    }
    if (name == "output_greatest" || name == "same_answer") {
        if (!result.output) {
            return {};
        }
        return name == "same_answer" ? result.output->same_answer : result.output->greatest;
    }
    const auto found = result.figures.find(name);
    return found == result.figures.end() ? std::nullopt : std::optional(found->second);
}

std::string text_cell(const RunResult& result, const std::string& name) {
    if (name == "run") {
        return result.name;
    }
    if (name == "device") {
        return project::Point{result.values, ""}.device_name();
    }
    for (std::size_t i = 0; i < project::k_axes; ++i) {
        if (name == project::axis_names()[i]) {
            return result.values[i];
        }
    }
    return name == "status"              ? name_of(result.status)
           : name == "stage"             ? result.stage
           : name == "detail"            ? result.detail
           : name == "generator_version" ? result.generator
           : name == "output"            ? output_text(result)
           : name == "library"           ? library_text(result)
           : name == "libraries"         ? libraries_text(result)
                                         : result.elf_sha256.substr(0, k_elf_digits);
}

Result<const Column*> need_column(const std::string& name, const std::string& option) {
    if (const Column* column = column_named(name)) {
        return column;
    }
    std::vector<std::string> names;
    for (const Column& column : k_columns) {
        names.push_back(column.name);
    }
    const std::string nearest = did_you_mean(name, names);
    return fail_with_hint(ErrorCode::options, option, fmt::format("there is no column '{}'", printable(name)),
                          nearest.empty() ? "docs/matrix.md lists them" : nearest);
}

struct Filter {
    const Column* column;
    std::string comparison;
    std::string text;
    std::optional<double> number;

    bool keeps(const RunResult& result) const {
        const Cell cell = cell_of(result, *column);
        if (comparison == "=" || comparison == "!=") {
            const bool is_equal = number && cell.number ? *number == *cell.number : cell.text == text;
            return is_equal == (comparison == "=");
        }
        if (!cell.number) {
            return false;
        }
        return comparison == "<"    ? *cell.number < *number
               : comparison == "<=" ? *cell.number <= *number
               : comparison == ">"  ? *cell.number > *number
                                    : *cell.number >= *number;
    }
};

std::optional<double> number_in(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Result<Filter> filter_of(const std::string& text) {
    const std::size_t at = text.find_first_of("=!<>");
    const std::size_t value = at == std::string::npos ? at : text.find_first_not_of("=!<>", at);
    const std::string comparison = at == std::string::npos ? "" : text.substr(at, value - at);
    constexpr std::array<std::string_view, 6> known{"=", "!=", "<", "<=", ">", ">="};
    if (std::find(known.begin(), known.end(), comparison) == known.end()) {
        return fail_with_hint(ErrorCode::options, "--filter", fmt::format("'{}' compares nothing", printable(text)),
                              "as in device=cortex-m4-spi, status!=Right or instructions<100000");
    }
    Filter filter;
    MM_TRY(filter.column, need_column(text.substr(0, at), "--filter"));
    filter.comparison = comparison;
    filter.text = value == std::string::npos ? "" : text.substr(value);
    filter.number = filter.column->is_number ? number_in(filter.text) : std::nullopt;
    const bool is_order = comparison != "=" && comparison != "!=";
    if ((is_order || filter.column->is_number) && !filter.number && !(filter.text.empty() && !is_order)) {
        return fail_with_hint(ErrorCode::options, "--filter",
                              filter.column->is_number
                                  ? fmt::format("'{}' is no number", printable(filter.text))
                                  : fmt::format("'{}' is a text, and has no order", filter.column->name),
                              filter.column->is_number ? "as in instructions<100000" : "compare it with = or !=");
    }
    return filter;
}

// Numbers by size, texts by letters; what was not measured comes last.
bool is_before(const Cell& a, const Cell& b, bool is_descending) {
    if (a.number.has_value() != b.number.has_value()) {
        return a.number.has_value();
    }
    if (a.number) {
        return is_descending ? *a.number > *b.number : *a.number < *b.number;
    }
    return is_descending ? a.text > b.text : a.text < b.text;
}

std::string padded(const std::string& text, std::size_t width, bool is_right) {
    const std::string space(width > text.size() ? width - text.size() : 0, ' ');
    return is_right ? space + text : text + space;
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\"\"" : std::string{c};
    }
    return quoted + "\"";
}

std::string markdown_cell(const std::string& text) {
    std::string cell;
    for (const char c : text) {
        cell += c == '|' ? "\\|" : c == '\n' ? " " : std::string{c};
    }
    return cell;
}

}  // namespace

const std::vector<Column>& all_columns() {
    return k_columns;
}

const Column* column_named(const std::string& name) {
    const auto found =
        std::find_if(k_columns.begin(), k_columns.end(), [&](const Column& column) { return column.name == name; });
    return found == k_columns.end() ? nullptr : &*found;
}

const std::vector<std::string>& default_columns() {
    static const std::vector<std::string> names{"model",     "generator",    "device",  "tasks",
                                                "status",    "instructions", "cycles",  "code",
                                                "constants", "variables",    "stack",   "nvm_bytes_written",
                                                "cuts",      "library",      "seconds", "detail"};
    return names;
}

Cell cell_of(const RunResult& result, const Column& column) {
    if (!column.is_number) {
        return {{}, text_cell(result, column.name)};
    }
    const std::optional<double> number = number_of(result, column.name);
    return number ? number_cell(*number) : Cell{};
}

Result<Table> make_table(std::vector<RunResult> runs, const TableRequest& request) {
    Table table;
    for (const std::string& name : request.columns.empty() ? default_columns() : request.columns) {
        MM_TRY(const Column* column, need_column(name, "--columns"));
        table.columns.push_back(*column);
    }
    for (const std::string& text : request.filters) {
        MM_TRY(const Filter filter, filter_of(text));
        std::erase_if(runs, [&](const RunResult& run) { return !filter.keeps(run); });
    }
    if (!request.sort.empty()) {
        const bool is_descending = request.sort.starts_with("-");
        MM_TRY(const Column* column, need_column(request.sort.substr(is_descending ? 1 : 0), "--sort"));
        std::stable_sort(runs.begin(), runs.end(), [&](const RunResult& a, const RunResult& b) {
            return is_before(cell_of(a, *column), cell_of(b, *column), is_descending);
        });
    }
    table.runs = std::move(runs);
    return table;
}

std::string text_of(const Table& table) {
    std::vector<std::size_t> widths;
    for (const Column& column : table.columns) {
        std::size_t width = column.name.size();
        for (const RunResult& run : table.runs) {
            width = std::max(width, cell_of(run, column).text.size());
        }
        widths.push_back(width);
    }
    const auto line = [&](const auto& text_at) {
        std::string text;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            text += (i == 0 ? "" : "  ") + padded(text_at(table.columns[i]), widths[i], table.columns[i].is_number);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text + "\n";
    };
    std::string text = line([](const Column& column) { return column.name; });
    for (const RunResult& run : table.runs) {
        text += line([&](const Column& column) { return cell_of(run, column).text; });
    }
    return text;
}

std::string csv_of(const Table& table) {
    std::string text;
    for (const Column& column : table.columns) {
        text += (text.empty() ? "" : ",") + column.name;
    }
    text += "\r\n";
    for (const RunResult& run : table.runs) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const Cell cell = cell_of(run, table.columns[i]);
            text += (i == 0 ? "" : ",") + (cell.number ? fmt::format("{}", *cell.number) : csv_cell(cell.text));
        }
        text += "\r\n";
    }
    return text;
}

std::string markdown_of(const Table& table) {
    std::string head = "|", rule = "|", rows;
    for (const Column& column : table.columns) {
        head += fmt::format(" {} |", column.name);
        rule += column.is_number ? "---:|" : "---|";
    }
    for (const RunResult& run : table.runs) {
        rows += "|";
        for (const Column& column : table.columns) {
            rows += fmt::format(" {} |", markdown_cell(cell_of(run, column).text));
        }
        rows += "\n";
    }
    return fmt::format("{}\n{}\n{}", head, rule, rows);
}

}  // namespace metamorph::matrix

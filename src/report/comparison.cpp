#include "report/comparison.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace metamorph::report {
namespace {

using nlohmann::ordered_json;

struct Column {
    std::string head;
    std::vector<std::string> cells;
};

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) {
        text.insert(at - 3, ",");
    }
    return text;
}

std::string difference_text(const ComparedGenerator& row) {
    if (!row.difference) {
        return "reference";
    }
    if (row.difference->is_exact) {
        return "exact";
    }
    return row.difference->greatest ? fmt::format("{:.4g}", *row.difference->greatest) : "-";
}

std::string proof_text(const VerifiedDevice& d, bool is_proof_wanted) {
    if (!d.is_equal_uninterrupted) {
        return "DIFFERS";
    }
    return !is_proof_wanted ? "equal" : d.is_right() ? "proven" : "NOT PROVEN";
}

std::vector<Column> columns_of(const Comparison& c) {
    std::vector<Column> columns{{"generator", {}},    {"output", {}},      {"same answer", {}}, {"right", {}},
                                {"instructions", {}}, {"woven", {}},       {"cycles", {}},      {"code B", {}},
                                {"constants B", {}},  {"variables B", {}}, {"stack B", {}},     {"NVM B", {}},
                                {"NVM writes B", {}}, {"tasks", {}},       {"woven code", {}}};
    for (const ComparedGenerator& row : c.rows) {
        if (!row.measured) {
            continue;
        }
        const VerifiedDevice& d = *row.measured;
        const std::vector<std::string> cells{
            row.name,
            difference_text(row),
            row.difference ? fmt::format("{}/{}", row.difference->same_answer, c.inferences) : "-",
            row.right ? fmt::format("{}/{}", *row.right, c.inferences) : "-",
            grouped(d.plain_each.instructions),
            fmt::format("{:.4f}x", d.instruction_ratio()),
            d.plain_each.cycles > 0 ? grouped(static_cast<std::uint64_t>(std::llround(d.plain_each.cycles))) : "-",
            grouped(d.plain_memory.code),
            grouped(d.plain_memory.constants),
            grouped(d.plain_memory.variables),
            grouped(d.plain_memory.stack),
            grouped(static_cast<std::uint64_t>(d.nvm_bytes)),
            grouped(d.woven_each.nvm_bytes_written),
            std::to_string(d.tasks.size()),
            proof_text(d, c.is_proof_wanted)};
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns[i].cells.push_back(cells[i]);
        }
    }
    std::erase_if(columns, [](const Column& column) {
        return std::all_of(column.cells.begin(), column.cells.end(),
                           [](const std::string& cell) { return cell == "-"; });
    });
    return columns;
}

std::string table_of(const std::vector<Column>& columns) {
    std::string text;
    const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
    for (std::size_t line = 0; line <= rows; ++line) {
        std::string row;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            std::size_t width = columns[i].head.size();
            for (const std::string& cell : columns[i].cells) {
                width = std::max(width, cell.size());
            }
            const std::string& cell = line == 0 ? columns[i].head : columns[i].cells[line - 1];
            row += i == 0 ? fmt::format("{:<{}}", cell, width) : fmt::format("  {:>{}}", cell, width);
        }
        text += row + "\n";
    }
    return text;
}

}  // namespace

bool ComparedGenerator::is_right(bool is_proof_wanted) const {
    return measured && (is_proof_wanted ? measured->is_right() : measured->is_equal_uninterrupted);
}

bool Comparison::is_right() const {
    bool has_figures = false;
    for (const ComparedGenerator& row : rows) {
        if (row.measured && !row.is_right(is_proof_wanted)) {
            return false;
        }
        has_figures = has_figures || row.measured;
    }
    return has_figures;
}

std::string text_of(const Comparison& c) {
    std::string text = fmt::format("{} ({}), --tasks {}; {} {}, inputs: {}\n\n", c.device, c.toolchain, c.split,
                                   c.inferences, c.inferences == 1 ? "inference" : "inferences", c.inputs);
    text += table_of(columns_of(c));
    text += "\n";
    for (const ComparedGenerator& row : c.rows) {
        if (!row.measured) {
            text += fmt::format("{}: {}: {}\n", row.name, row.is_skipped ? "skipped" : "failed", row.problem);
            continue;
        }
        text += fmt::format(
            "{}: {} on {}{}\n", row.name, row.generator, row.model,
            row.difference ? fmt::format("; its outputs beside those of {}", row.difference->reference) : "");
        for (const std::string& note : row.notes) {
            text += fmt::format("  note: {}\n", note);
        }
    }
    return text +
           "\ninstructions, cycles: an inference of the plain code, cycles by the core's table (docs/cycles.md); "
           "woven: "
           "instructions of the woven code over it. Stack: down to the deepest byte written.\n";
}

ordered_json json_of(const Comparison& c) {
    ordered_json json{{"schema", "metamorph-compare-1"},    {"device", c.device},
                      {"toolchain", c.toolchain},           {"tasks", c.split},
                      {"inferences", c.inferences},         {"inputs", c.inputs},
                      {"proof_wanted", c.is_proof_wanted},  {"right", c.is_right()},
                      {"generators", ordered_json::array()}};
    for (const ComparedGenerator& row : c.rows) {
        ordered_json one{
            {"name", row.name},           {"state", row.measured ? "measured" : row.is_skipped ? "skipped" : "failed"},
            {"generator", row.generator}, {"model", row.model},
            {"problem", row.problem},     {"notes", row.notes}};
        if (row.measured) {
            one["right"] = row.is_right(c.is_proof_wanted);
            one["measured"] = json_of(*row.measured);
        }
        if (row.difference) {
            one["difference"] = {{"reference", row.difference->reference},
                                 {"exact", row.difference->is_exact},
                                 {"greatest", row.difference->greatest ? ordered_json(*row.difference->greatest)
                                                                       : ordered_json(nullptr)},
                                 {"same_answer", row.difference->same_answer}};
        }
        if (row.right) {
            one["images_right"] = *row.right;
        }
        json["generators"].push_back(std::move(one));
    }
    return json;
}

}  // namespace metamorph::report

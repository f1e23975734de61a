// Results as rows of a table: which columns, in which order, which rows. The same for the terminal, CSV, Markdown,
// JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matrix/run_result.h"
#include "util/result.h"

namespace metamorph::matrix {

struct Column {
    std::string name;     // "instructions": of --columns
    std::string meaning;  // one line, with the unit
    bool is_number = false;
};
const std::vector<Column>& all_columns();
const Column* column_named(const std::string& name);
const std::vector<std::string>& default_columns();

// One cell: a number, a text, or nothing (it was not measured).
struct Cell {
    std::optional<double> number;
    std::string text;  // what is shown
};
Cell cell_of(const RunResult& result, const Column& column);

// How a table is asked for. Errors of all: options, naming the option, with the nearest column.
struct TableRequest {
    std::vector<std::string> columns;  // empty: default_columns()
    std::string sort;                  // a column, "-" before it for descending; empty: as in the session
    std::vector<std::string> filters;  // "device=cortex-m4-spi", "status!=Right", "instructions<100000"; all must hold
};

struct Table {
    std::vector<Column> columns;
    std::vector<RunResult> runs;  // those that are left, sorted
};
Result<Table> make_table(std::vector<RunResult> runs, const TableRequest& request);

std::string text_of(const Table& table);  // for a terminal: columns aligned
std::string csv_of(const Table& table);   // RFC 4180, numbers unrounded
std::string markdown_of(const Table& table);

}  // namespace metamorph::matrix

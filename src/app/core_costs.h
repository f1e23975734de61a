// What instructions cost on a core, as data (devices/cores/*.toml; docs/cycles.md). A device's `core` names the table.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/result.h"

namespace metamorph::app {

// A figure of a description, for lists and reports.
struct Figure {
    std::string key;    // "memory.flash.bytes", "clock.hz"
    std::string value;  // as text
    std::string source;
    bool is_assumed = false;
};

struct CoreCosts {
    std::string core;
    std::vector<std::pair<std::string, double>> cycles;  // by class of instructions
    std::vector<Figure> figures;                         // the same with their sources: "core.load"

    // Nothing: the core has no such instructions.
    const double* of(std::string_view instruction_class) const;
};

// The classes that a core's table has to price. Empty: there is no such core.
const std::vector<std::string>& instruction_classes(std::string_view core);

// Reads a table. `where` is what errors name: a path. Errors: options, with "path:line:column": not TOML, unknown or
// missing keys, figures without a source.
Result<CoreCosts> read_core_costs(std::string_view toml, const std::filesystem::path& where);

// The table that comes with Metamorph. Errors: internal (there is none).
Result<CoreCosts> find_core_costs(std::string_view core);

}  // namespace metamorph::app

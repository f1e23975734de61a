// Read as strictly as devices are (toml_reader.h): a table prices all classes of its core and nothing else, and every
// price has its source.
#include "app/core_costs.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/embedded_devices.h"
#include "app/toml_reader.h"

namespace metamorph::app {
namespace {

constexpr std::string_view k_assumption = "assumption";

const std::vector<std::string> k_riscv_classes{"other",  "load",   "store",        "multiply",  "multiply_high",
                                               "divide", "branch", "branch_taken", "jump_taken"};
const std::vector<std::string> k_arm_classes{"other",      "load",     "store",         "pipelined",   "word",
                                             "multiply",   "divide",   "multiply_high", "branch",      "branch_taken",
                                             "jump_taken", "floating", "float_fused",   "float_divide"};

Result<CoreCosts> read(const TomlReader& root) {
    MM_CHECK(root.only({"core", "cycles"}));
    CoreCosts costs;
    MM_TRY(costs.core, root.text("core"));
    const std::vector<std::string>& classes = instruction_classes(costs.core);
    if (classes.empty()) {
        return root.refuse("core", fmt::format("there is no core '{}'", costs.core), "cortex-m4f or rv32imc");
    }
    MM_TRY(const TomlReader cycles, root.table("cycles"));
    std::vector<std::string> keys = classes;
    keys.emplace_back("source");
    MM_CHECK(cycles.only(keys));
    for (const std::string& name : classes) {
        MM_TRY(const double each, cycles.number(name));
        costs.cycles.emplace_back(name, each);
    }
    MM_TRY(const TomlReader sources, cycles.table("source"));
    MM_CHECK(sources.only(classes));
    for (const auto& [name, each] : costs.cycles) {
        MM_TRY(const std::string source, sources.text(name));
        costs.figures.push_back(
            {"core." + name, fmt::format("{}", each), source, source.find(k_assumption) != std::string::npos});
    }
    return costs;
}

}  // namespace

const double* CoreCosts::of(std::string_view instruction_class) const {
    const auto found =
        std::find_if(cycles.begin(), cycles.end(), [&](const auto& each) { return each.first == instruction_class; });
    return found == cycles.end() ? nullptr : &found->second;
}

const std::vector<std::string>& instruction_classes(std::string_view core) {
    static const std::vector<std::string> none;
    return core == "cortex-m4f" ? k_arm_classes : core == "rv32imc" ? k_riscv_classes : none;
}

Result<CoreCosts> read_core_costs(std::string_view toml, const std::filesystem::path& where) {
    const toml::parse_result parsed = toml::parse(toml);
    if (!parsed) {
        const toml::source_position at = parsed.error().source().begin;
        return fail_with_hint(ErrorCode::options, fmt::format("{}:{}:{}", where.string(), at.line, at.column),
                              fmt::format("this is not TOML: {}", parsed.error().description()),
                              "docs/cycles.md shows a table of costs");
    }
    return read(TomlReader(parsed.table(), where.string(), "", "docs/cycles.md"));
}

Result<CoreCosts> find_core_costs(std::string_view core) {
    const std::string path = fmt::format("devices/cores/{}.toml", core);
    for (const EmbeddedFile& file : embedded_devices()) {
        if (file.path == path) {
            return read_core_costs(file.contents, path);
        }
    }
    return fail(ErrorCode::internal, path, "there is no table of costs for the core '{}'", core);
}

}  // namespace metamorph::app

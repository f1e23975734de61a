// The order of work: parse each source (unit_parser), link their intermediate code (program), join what the sources say
// of the same function or variable, find each function's effects (memory_effects), then the entry's steps
// (entry_model).
#include "cfront/front_end.h"

#include <algorithm>
#include <map>
#include <set>

#include "cfront/entry_model.h"
#include "cfront/memory_effects.h"
#include "cfront/program.h"
#include "cfront/unit_parser.h"

namespace metamorph::cfront {
namespace {

// What is known by the names of the linked program.
struct Symbols {
    std::vector<std::vector<std::string>>
        of_function;                      // by CodeModel::functions; several for an inline function of a header
    std::map<std::string, int> variable;  // into CodeModel::variables
    std::map<std::string, int> function;  // of external linkage, into CodeModel::functions
};

class Joiner {
public:
    void add(UnitFacts& facts) {
        for (UnitFunction& function : facts.functions) {
            add_function(std::move(function));
        }
        for (UnitVariable& variable : facts.variables) {
            add_variable(std::move(variable));
        }
        for (Recovery& recovery : facts.recoveries) {
            const bool is_new = m_recovered.insert({recovery.location.file, recovery.location.line}).second;
            if (is_new) {
                model.recoveries.push_back(std::move(recovery));
            }
        }
    }

    // Definitions first; mere declarations after them.
    void sort_functions() {
        std::vector<std::size_t> order;
        for (const bool is_defined : {true, false}) {
            for (std::size_t i = 0; i < model.functions.size(); ++i) {
                if (model.functions[i].is_defined == is_defined) {
                    order.push_back(i);
                }
            }
        }
        std::vector<Function> functions;
        std::vector<std::vector<std::string>> of_function;
        for (const std::size_t i : order) {
            functions.push_back(std::move(model.functions[i]));
            of_function.push_back(std::move(symbols.of_function[i]));
        }
        model.functions = std::move(functions);
        symbols.of_function = std::move(of_function);
    }

    CodeModel model;
    Symbols symbols;

private:
    void add_function(UnitFunction function) {
        // The same inline function of a header is one function, whatever the number of sources that include it.
        const SourceLocation& at = function.facts.location;
        const std::string key =
            function.facts.is_static ? fmt::format("{}:{}:{}", at.file, at.line, function.facts.name) : function.symbol;
        const auto [place, is_new] = symbols.function.try_emplace(key, static_cast<int>(model.functions.size()));
        if (is_new) {
            model.functions.push_back(std::move(function.facts));
            symbols.of_function.push_back({function.symbol});
            return;
        }
        const auto index = static_cast<std::size_t>(place->second);
        if (function.facts.is_defined && !model.functions[index].is_defined) {
            model.functions[index] = std::move(function.facts);
        }
        std::vector<std::string>& names = symbols.of_function[index];
        if (std::find(names.begin(), names.end(), function.symbol) == names.end()) {
            names.push_back(function.symbol);
        }
    }

    void add_variable(UnitVariable variable) {
        const auto [place, is_new] =
            symbols.variable.try_emplace(variable.symbol, static_cast<int>(model.variables.size()));
        if (is_new) {
            model.variables.push_back(std::move(variable.facts));
            return;
        }
        Variable& known = model.variables[static_cast<std::size_t>(place->second)];
        const std::int64_t bytes = std::max(known.bytes, variable.facts.bytes);
        if (variable.facts.is_defined && !known.is_defined) {
            known = std::move(variable.facts);
        }
        known.bytes = bytes;
    }

    std::set<std::pair<std::string, unsigned>> m_recovered;
};

// Sizes and initial values, and the variables that no declaration shows (compound literals of static storage).
void complete_variables(const llvm::Module& module, CodeModel& model, Symbols& symbols) {
    for (const llvm::GlobalVariable& global : module.globals()) {
        const std::string symbol = global.getName().str();
        auto found = symbols.variable.find(symbol);
        if (found == symbols.variable.end()) {
            if (global.isConstant()) {
                continue;
            }
            found = symbols.variable.emplace(symbol, static_cast<int>(model.variables.size())).first;
            Variable variable;
            variable.name = source_name(symbol);
            variable.type = "unsigned char[]";
            variable.is_static = global.hasLocalLinkage();
            variable.is_defined = !global.isDeclaration();
            model.variables.push_back(variable);
        }
        Variable& variable = model.variables[static_cast<std::size_t>(found->second)];
        if (global.hasInitializer()) {
            variable.has_initializer = !global.getInitializer()->isNullValue();
            variable.bytes = static_cast<std::int64_t>(
                module.getDataLayout().getTypeAllocSize(global.getValueType()).getFixedValue());
        }
    }
}

void fill_globals(const std::set<const llvm::GlobalVariable*>& globals, const CodeModel& model, const Symbols& symbols,
                  std::vector<std::string>& names) {
    for (const llvm::GlobalVariable* global : globals) {
        const auto found = symbols.variable.find(global->getName().str());
        if (found != symbols.variable.end()) {
            names.push_back(model.variables[static_cast<std::size_t>(found->second)].qualified_name());
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

// By name, since structs that are passed by value take several of the intermediate code's parameters, or none.
void fill_parameters(const std::set<unsigned>& indices, const llvm::Function& code, const Function& function,
                     std::vector<unsigned>& found) {
    for (const unsigned index : indices) {
        const std::string name = code.getArg(index)->getName().str();
        for (unsigned i = 0; i < function.parameters.size(); ++i) {
            if (function.parameters[i].name == name && function.parameters[i].is_pointer) {
                found.push_back(i);
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
}

void fill_effects(const llvm::Module& module, CodeModel& model, const Symbols& symbols) {
    const std::map<const llvm::Function*, Effects> all = memory_effects(module);
    for (std::size_t i = 0; i < model.functions.size(); ++i) {
        Function& function = model.functions[i];
        for (const std::string& symbol : symbols.of_function[i]) {
            const llvm::Function* code = module.getFunction(symbol);
            const auto effects = all.find(code);
            if (effects == all.end()) {
                continue;
            }
            function.calls_through_pointer = function.calls_through_pointer || effects->second.calls_unknown;
            fill_globals(effects->second.reads_globals, model, symbols, function.reads_globals);
            fill_globals(effects->second.writes_globals, model, symbols, function.writes_globals);
            fill_parameters(effects->second.reads_parameters, *code, function, function.reads_parameters);
            fill_parameters(effects->second.writes_parameters, *code, function, function.writes_parameters);
        }
    }
}

unsigned edit_distance(const std::string& a, const std::string& b) {
    std::vector<unsigned> row(b.size() + 1);
    for (unsigned j = 0; j < row.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        unsigned diagonal = row[0];
        row[0] = static_cast<unsigned>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const unsigned above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

tl::unexpected<Error> no_entry(const CodeModel& model, const std::string& entry) {
    std::vector<std::pair<unsigned, std::string>> names;
    for (const Function& function : model.functions) {
        if (function.is_defined) {
            names.emplace_back(edit_distance(function.name, entry), function.name);
        }
    }
    std::sort(names.begin(), names.end());
    std::string nearest;
    for (std::size_t i = 0; i < names.size() && i < 3; ++i) {
        nearest += (i == 0 ? "" : ", ") + names[i].second;
    }
    return fail_with_hint(ErrorCode::model, entry, fmt::format("no source defines the inference entry '{}'", entry),
                          nearest.empty() ? "the sources define no function" : "the nearest names are: " + nearest);
}

}  // namespace

Result<CodeModel> analyse(const FrontEndInput& input) {
    Program program;
    Joiner joiner;
    std::optional<EntryBody> body;
    for (std::size_t i = 0; i < input.sources.size(); ++i) {
        const int unit = static_cast<int>(i);
        MM_TRY(ParsedUnit parsed, parse_unit(input, unit, program.context()));
        joiner.add(parsed.facts);
        if (parsed.facts.entry) {
            body = std::move(parsed.facts.entry);
        }
        MM_CHECK(program.add(std::move(parsed.module), unit, input.sources[i]));
    }
    joiner.sort_functions();
    CodeModel& model = joiner.model;
    const auto entry = std::find_if(model.functions.begin(), model.functions.end(),
                                    [&](const Function& f) { return f.name == input.entry && f.is_defined; });
    if (!body || entry == model.functions.end()) {
        return no_entry(model, input.entry);
    }
    program.simplify();
    complete_variables(program.module(), model, joiner.symbols);
    fill_effects(program.module(), model, joiner.symbols);
    program.fix_constants();
    const std::string symbol =
        joiner.symbols.of_function[static_cast<std::size_t>(entry - model.functions.begin())].front();
    MM_TRY(model.entry, build_entry_model(program, *entry, symbol, *body, model.variables, joiner.symbols.variable,
                                          input.outer_loops));
    return std::move(model);
}

}  // namespace metamorph::cfront

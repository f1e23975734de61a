// What the syntax tree of one source file says, as plain structs: declarations, calls, and the entry's body. What the
// code does to memory is found on its intermediate code instead (memory_effects.h, step_access.h).
//
// `symbol` joins the two: the name of the function or variable in the linked program. Names of internal linkage are
// made unique by their source ("name@2"), since two files may each have a static function of the same name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "util/result.h"

namespace metamorph::cfront {

struct UnitFunction {
    Function facts;
    std::string symbol;
};

struct UnitVariable {
    Variable facts;
    std::string symbol;
};

struct EntryArgument {
    std::string text;       // as spelled, on one line
    std::string cast_type;  // type of the callee's parameter, adjusted to a pointer
};

struct EntryCall {
    std::string callee;
    SourceLocation location;
    std::string text;
    std::vector<EntryArgument> arguments;
};

struct EntryLocal {  // a local array, struct or scalar of the entry
    std::string name;
    std::string element_type;
    std::int64_t element_bytes = 1;
};

struct EntryBody {
    std::vector<EntryCall> calls;  // in execution order
    std::vector<EntryLocal> locals;
    std::optional<Error> refusal;  // the first statement that is not understood
};

struct UnitFacts {
    std::vector<UnitFunction> functions;
    std::vector<UnitVariable> variables;
    std::vector<Recovery> recoveries;
    std::optional<EntryBody> entry;  // in the source that defines it
};

// "./q.h" → "q.h".
std::string plain_path(const std::string& path);

// Name in the linked program of something that has internal linkage in source number `unit`.
std::string internal_symbol(const std::string& name, int unit);

}  // namespace metamorph::cfront

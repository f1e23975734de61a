// What stands where in one C source: for code that is taken apart as text. Functions and variables at file scope, each
// with the bytes of the source that are its definition; nothing of what they do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::cfront {

struct OutlinedFunction {
    Function facts;
    std::size_t begin = 0, end = 0;  // from its first word (static, its type) to behind the closing brace
};

struct OutlinedVariable {
    Variable facts;
    std::size_t begin = 0, end = 0;  // to behind the semicolon
};

struct Outline {
    std::vector<OutlinedFunction> functions;  // definitions of this source alone, in its order; not those of headers
    std::vector<OutlinedVariable> variables;  // likewise; static locals are left out
    std::vector<Recovery> recoveries;
};

// Of input.sources[unit]. Errors: model (C that does not parse; a definition that a macro writes, which has no text of
// its own), toolchain.
Result<Outline> outline(const FrontEndInput& input, int unit);

}  // namespace metamorph::cfront

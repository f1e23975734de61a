// How the target lays types out, as a condition in C: it holds where a compiler agrees with what was read.
#pragma once

#include <string>

namespace clang {
class ASTContext;
}

namespace metamorph::cfront {

// "(char)-1 < 0 && sizeof(long) == 4 && …": what the layout of every structure follows from, and whether char is
// signed.
std::string layout_condition(const clang::ASTContext& context);

}  // namespace metamorph::cfront

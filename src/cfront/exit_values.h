// Makes what a loop leaves behind a formula of what it was given.
#pragma once

#include <llvm/IR/Function.h>

namespace metamorph::cfront {

// A pointer that is moved on by an inner loop (`*out++ = …`) is known to the outer one only if its value after the
// inner loop is spelled as start + trips · size. Loops must be simplified and in loop-closed form. Only adds
// arithmetic.
void spell_exit_values(llvm::Function& function);

}  // namespace metamorph::cfront

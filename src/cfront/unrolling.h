// Loops of a small step, unrolled: what looks as if it depended on data often depends on the round alone.
#pragma once

#include <llvm/IR/Function.h>

namespace metamorph::cfront {

// Unrolls loops whose number of rounds is known, from the innermost to the outermost and again while that makes further
// numbers known. Returns whether anything changed. Code that would become too large stays as it is.
bool unroll_known_loops(llvm::Function& code);

}  // namespace metamorph::cfront

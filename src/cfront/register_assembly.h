// Inline assembly that only computes values from values, as of instructions that C has no operator for.
#pragma once

#include <llvm/IR/Module.h>

namespace metamorph::cfront {

// Marks it as touching no memory, volatile or not. It is such if it takes and gives numbers in registers and does not
// say that it changes memory; what reads or changes memory all the same is no C that any compiler has to get right.
void mark_register_assembly(llvm::Module& module);

}  // namespace metamorph::cfront

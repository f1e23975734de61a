// Which instructions of a step's code touch memory, and how.
#pragma once

#include <optional>
#include <vector>

#include <llvm/IR/DataLayout.h>

#include "cfront/access_walk.h"

namespace metamorph::cfront {

// What an instruction loads and stores, a copy's load first; empty where it touches no memory. Nothing is returned for
// one that touches memory in a way that is not understood.
std::optional<std::vector<MemoryOperation>> operations_of(llvm::Instruction& instruction,
                                                          const llvm::DataLayout& layout);

// Memory that is no object of the entry: a local, a constant, nowhere.
bool is_no_object(const llvm::Value* base);

}  // namespace metamorph::cfront

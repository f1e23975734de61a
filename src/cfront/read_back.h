// What a step reads only behind its own sure writes: temporaries, whose bytes from before do not matter.
#pragma once

#include <functional>
#include <vector>

#include "cfront/access_walk.h"
#include "cfront/code_model.h"
#include "cfront/outer_loop.h"

namespace metamorph::cfront {

// What one operation touches of each object. `first_round`: loops around it that are in their first round then; others
// go through all of theirs.
using AccessesOf = std::function<std::vector<Access>(const MemoryOperation& operation,
                                                     const std::vector<const llvm::Loop*>& first_round)>;

// Sets Access::read_back of all `accesses`, which are those of the whole step.
void find_read_back(const StepCode& step, const AccessesOf& accesses_of, std::vector<Access>& accesses);

}  // namespace metamorph::cfront

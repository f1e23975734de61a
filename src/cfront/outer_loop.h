// Whether a call is one loop whose rounds can be cut apart: run in any grouping and order, each any number of times,
// with the same bytes in the end.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

#include "cfront/affine_value.h"
#include "cfront/code_model.h"

namespace metamorph::cfront {

struct StepCode {
    llvm::Function& code;  // of the step
    const llvm::LoopInfo& loops;
    const llvm::DominatorTree& dominators;
    llvm::ScalarEvolution& evolution;
    Evaluator& evaluator;
};

// The object, and the offset in it, of a parameter of the step's code or of a variable; nothing where it is not known.
using ObjectAt = std::function<std::optional<std::pair<ObjectId, std::int64_t>>(const llvm::Value* base)>;

// `accesses`: of the whole step.
OuterLoop find_outer_loop(const StepCode& step, const ObjectAt& object_at, const std::vector<Access>& accesses);

}  // namespace metamorph::cfront

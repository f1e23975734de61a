// Under which conditions a block runs, once for given iterations of the loops around it.
#pragma once

#include <optional>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace metamorph::cfront {

// One loop around a block.
struct LoopTrips {
    const llvm::Loop* loop = nullptr;
    const llvm::SCEV* backedges = nullptr;  // how often it goes round again; null: scalar evolution does not know
    std::optional<std::int64_t> max;        // never more backedges than this
    std::int64_t extra = 1;  // the block runs `backedges + extra` times: 0 where the exit test comes first
    const llvm::BranchInst* test = nullptr;  // the exit test, if it is the only one and made in every iteration
    bool stays_if_true = true;               // in the loop, by that test
};

struct PathCondition {
    const llvm::BranchInst* branch = nullptr;
    bool is_taken = true;        // the condition must be true (else: false)
    bool is_necessary = false;   // the block cannot run otherwise
    bool is_sufficient = false;  // one of those which, all together, make sure that it runs
};

struct Path {
    std::vector<LoopTrips> loops;  // outermost first
    std::vector<PathCondition> conditions;
    bool can_be_proved =
        false;  // whether the sufficient conditions, with exact trip counts of `loops`, prove that it runs
};

Path path_to(const llvm::BasicBlock* block, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
             llvm::ScalarEvolution& evolution);

}  // namespace metamorph::cfront

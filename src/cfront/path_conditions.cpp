// Necessary conditions: the branch edges that dominate the block.
//
// Sufficient ones, a loop level at a time: from the header of a loop (or the function's entry), follow every way
// through one iteration. Where all successors lead to the target nothing needs to hold; where one does, its condition
// must; a loop on the way is left by its exits, all of which must lead to the target; a way that ends (noreturn) or
// never ends does not count, since only executions that return are described. The target of a level is the header of
// the next loop, at last the block.
#include "cfront/path_conditions.h"

#include <algorithm>
#include <map>
#include <set>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>

namespace metamorph::cfront {
namespace {

using llvm::BasicBlock;
using llvm::Loop;

using Edge = std::pair<const llvm::BranchInst*, bool>;  // a conditional branch and the side that must be taken
using Conditions = std::optional<std::set<Edge>>;       // nothing: the target can be missed

class OneIteration {
public:
    OneIteration(const llvm::LoopInfo& loops, const Loop* level, const BasicBlock* start, const BasicBlock* target)
        : m_loops(loops), m_level(level), m_start(start), m_target(target) {}

    Conditions from_start() { return from(m_start); }

private:
    Conditions along(const BasicBlock* next) {
        const bool stays = m_level == nullptr || m_level->contains(next);
        return !stays || (next == m_start) ? std::nullopt : from(next);
    }

    static void merge(Conditions& into, const Conditions& other) {
        if (into && other) {
            into->insert(other->begin(), other->end());
        } else {
            into.reset();
        }
    }

    Conditions from(const BasicBlock* block) {
        if (block == m_target) {
            return std::set<Edge>{};
        }
        const auto [place, is_new] = m_known.try_emplace(block);
        if (!is_new) {
            return place->second;  // a cycle without a loop header of its own does not exist here: it is reducible
        }
        const Conditions found = find(block);
        m_known[block] = found;
        return found;
    }

    Conditions find(const BasicBlock* block) {
        const Loop* inner = m_loops.getLoopFor(block);
        while (inner && inner != m_level && inner->getParentLoop() != m_level) {
            inner = inner->getParentLoop();
        }
        if (inner != nullptr && inner != m_level) {
            llvm::SmallVector<BasicBlock*, 4> exits;
            inner->getExitBlocks(exits);
            Conditions all = std::set<Edge>{};
            for (const BasicBlock* exit : exits) {
                merge(all, along(exit));
            }
            return all;
        }
        const llvm::Instruction* end = block->getTerminator();
        const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
        if (branch != nullptr && branch->isConditional()) {
            Conditions yes = along(branch->getSuccessor(0));
            Conditions no = along(branch->getSuccessor(1));
            if (yes && no) {
                merge(yes, no);
                return yes;
            }
            Conditions one = yes ? yes : no;
            if (one) {
                one->insert({branch, yes.has_value()});
            }
            return one;
        }
        if (llvm::isa<llvm::UnreachableInst>(end)) {
            return std::set<Edge>{};
        }
        if (end->getNumSuccessors() == 0) {
            return std::nullopt;
        }
        Conditions all = std::set<Edge>{};
        for (const BasicBlock* next : llvm::successors(block)) {
            merge(all, along(next));
        }
        return all;
    }

    const llvm::LoopInfo& m_loops;
    const Loop* m_level;
    const BasicBlock* m_start;
    const BasicBlock* m_target;
    std::map<const BasicBlock*, Conditions> m_known;
};

LoopTrips trips_of(const Loop* loop, const BasicBlock* block, const llvm::DominatorTree& dominators,
                   llvm::ScalarEvolution& evolution) {
    LoopTrips trips;
    trips.loop = loop;
    const llvm::SCEV* exact = evolution.getBackedgeTakenCount(loop);
    if (!llvm::isa<llvm::SCEVCouldNotCompute>(exact)) {
        trips.backedges = exact;
    }
    const llvm::SCEV* max = evolution.getConstantMaxBackedgeTakenCount(loop);
    if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(max);
        constant && constant->getAPInt().getActiveBits() < 40) {
        trips.max = static_cast<std::int64_t>(constant->getAPInt().getZExtValue());
    }
    const BasicBlock* exiting = loop->getExitingBlock();
    const auto* test = exiting ? llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator()) : nullptr;
    const BasicBlock* latch = loop->getLoopLatch();
    if (test && test->isConditional() && latch && dominators.dominates(exiting, latch)) {
        trips.test = test;
        trips.stays_if_true = loop->contains(test->getSuccessor(0));
        const BasicBlock* stay = test->getSuccessor(trips.stays_if_true ? 0 : 1);
        trips.extra = dominators.dominates(llvm::BasicBlockEdge(exiting, stay), block) ? 0 : 1;
    }
    return trips;
}

}  // namespace

Path path_to(const BasicBlock* block, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
             llvm::ScalarEvolution& evolution) {
    Path path;
    std::set<const llvm::BranchInst*> tests;
    for (const Loop* loop = loops.getLoopFor(block); loop != nullptr; loop = loop->getParentLoop()) {
        path.loops.insert(path.loops.begin(), trips_of(loop, block, dominators, evolution));
        if (path.loops.front().test && path.loops.front().extra == 0) {
            tests.insert(path.loops.front().test);
        }
    }

    std::map<Edge, PathCondition> conditions;
    for (const auto* node = dominators.getNode(block); node != nullptr; node = node->getIDom()) {
        const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
        for (unsigned side = 0; branch && branch->isConditional() && side < 2; ++side) {
            if (dominators.dominates(llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(side)), block)) {
                conditions[{branch, side == 0}].is_necessary = true;
            }
        }
    }

    path.can_be_proved = true;
    const BasicBlock* start = &block->getParent()->getEntryBlock();
    const Loop* level = nullptr;
    for (std::size_t i = 0; i <= path.loops.size(); ++i) {
        const BasicBlock* target = i < path.loops.size() ? path.loops[i].loop->getHeader() : block;
        const Conditions found = OneIteration(loops, level, start, target).from_start();
        path.can_be_proved = path.can_be_proved && found;
        for (const Edge& edge : found.value_or(std::set<Edge>{})) {
            conditions[edge].is_sufficient = true;
        }
        if (i < path.loops.size()) {
            level = path.loops[i].loop;
            start = target;
        }
    }
    for (auto& [edge, condition] : conditions) {
        if (!tests.contains(edge.first)) {
            condition.branch = edge.first;
            condition.is_taken = edge.second;
            path.conditions.push_back(condition);
        }
    }
    return path;
}

}  // namespace metamorph::cfront

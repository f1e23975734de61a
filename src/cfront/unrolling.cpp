// A loop that counts what it does, in two nested loops with bounds of their own, and returns where it counted nothing:
// no formula says that the count is never nothing, but in each round it is a number. LLVM's own pass unrolls, marked
// loops only, and constants are folded in between.
#include "cfront/unrolling.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "cfront/program.h"

namespace metamorph::cfront {
namespace {

constexpr std::uint64_t k_unrolled_max = 16'000;
constexpr int k_turns_max = 4;

// Marks all loops (Clang has marked them as not to be unrolled), and says how many there are; none where the code would
// become too large. A number of rounds that is not known counts as one: it is known only when the loops around are
// unrolled, and the next turn looks again.
std::size_t mark_loops(llvm::Function& code) {
    llvm::TargetLibraryInfoImpl library{llvm::Triple(code.getParent()->getTargetTriple())};
    llvm::TargetLibraryInfo library_info(library);
    llvm::AssumptionCache assumptions(code);
    llvm::DominatorTree dominators(code);
    llvm::LoopInfo loops(dominators);
    llvm::ScalarEvolution evolution(code, library_info, assumptions, dominators, loops);
    std::uint64_t instructions = 0;
    for (const llvm::BasicBlock& block : code) {
        std::uint64_t copies = 1;
        for (const llvm::Loop* loop = loops.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
            copies *= std::max(evolution.getSmallConstantTripCount(loop), 1U);
            if (copies > k_unrolled_max) {
                return 0;
            }
        }
        instructions += copies * block.size();
    }
    const llvm::SmallVector<llvm::Loop*, 4> all = loops.getLoopsInPreorder();
    if (instructions > k_unrolled_max) {
        return 0;
    }
    for (llvm::Loop* loop : all) {
        llvm::LLVMContext& context = code.getContext();
        llvm::MDNode* full = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.full"));
        loop->setLoopID(
            llvm::makePostTransformationMetadata(context, loop->getLoopID(), {"llvm.loop.unroll."}, {full}));
    }
    return all.size();
}

}  // namespace

bool unroll_known_loops(llvm::Function& code) {
    bool has_changed = false;
    for (int turn = 0; turn < k_turns_max; ++turn) {
        const std::size_t loops = mark_loops(code);
        if (loops == 0) {
            break;
        }
        const std::size_t before = code.getInstructionCount();
        run_passes({&code}, "loop(loop-unroll-full),sccp,instsimplify,simplifycfg<no-simplify-cond-branch>");
        has_changed = has_changed || code.getInstructionCount() != before;
        if (code.getInstructionCount() == before) {
            break;
        }
    }
    run_passes({&code}, "loop-simplify,lcssa");
    return has_changed;
}

}  // namespace metamorph::cfront

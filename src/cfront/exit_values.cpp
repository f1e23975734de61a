// LLVM's own pass (indvars) does this only where the loop itself has no use for the value, which a store address always
// is. Innermost loops first, so that each level finds the levels below it spelled out.
#include "cfront/exit_values.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace metamorph::cfront {

void spell_exit_values(llvm::Function& function) {
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    llvm::TargetLibraryInfoImpl library{llvm::Triple(function.getParent()->getTargetTriple())};
    llvm::TargetLibraryInfo library_info(library);
    const llvm::TargetTransformInfo costs(layout);
    llvm::AssumptionCache assumptions(function);
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    llvm::ScalarEvolution evolution(function, library_info, assumptions, dominators, loops);
    llvm::SmallVector<llvm::Loop*, 4> order = loops.getLoopsInPreorder();
    for (auto loop = order.rbegin(); loop != order.rend(); ++loop) {
        llvm::SCEVExpander expander(evolution, layout, "exit");
        llvm::SmallVector<llvm::WeakTrackingVH, 16> dead;
        if (llvm::rewriteLoopExitValues(*loop, &loops, &library_info, &evolution, &costs, expander, &dominators,
                                        llvm::AlwaysRepl, dead) != 0) {
            evolution.forgetAllLoops();
        }
    }
}

}  // namespace metamorph::cfront

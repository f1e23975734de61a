// Not indvars: where it widens an induction variable it hides minima from scalar evolution, which then no longer knows
// the trip count of a loop with clamped bounds.
//
// Inlining is our own loop over InlineFunction: it stops at recursion and at a size limit, and goes on when folding has
// turned a call through a table of functions into a direct one.
#include "cfront/step_function.h"

#include <map>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "cfront/exit_values.h"
#include "cfront/memory_effects.h"
#include "cfront/program.h"

namespace metamorph::cfront {
namespace {

constexpr std::size_t k_instructions_max = 200'000;
constexpr int k_inlining_rounds_max = 4;
constexpr const char* k_promote = "sroa<modify-cfg>";
constexpr const char* k_fold = "sccp,instsimplify,simplifycfg<no-simplify-cond-branch>";
constexpr const char* k_loops = "loop-simplify,lcssa";

constexpr const char* k_clean = "instsimplify,sroa<modify-cfg>";

using Chain = std::vector<const llvm::Function*>;  // the functions that a call was inlined from

bool is_inlinable(const llvm::CallBase& call, const Chain& chain) {
    const llvm::Function* callee = call.getCalledFunction();
    return callee && !callee->isDeclaration() && !callee->isVarArg() &&
           std::find(chain.begin(), chain.end(), callee) == chain.end();
}

// Whether anything was inlined.
bool inline_calls(llvm::Function& code, std::map<const llvm::CallBase*, Chain>& chains) {
    std::vector<llvm::CallBase*> open;
    for (llvm::Instruction& instruction : llvm::instructions(code)) {
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            open.push_back(call);
        }
    }
    bool has_inlined = false;
    while (!open.empty() && code.getInstructionCount() < k_instructions_max) {
        llvm::CallBase* call = open.back();
        open.pop_back();
        Chain chain = chains[call];
        if (!is_inlinable(*call, chain)) {
            continue;
        }
        chain.push_back(call->getCalledFunction());
        chains.erase(call);
        llvm::InlineFunctionInfo info;
        if (!llvm::InlineFunction(*call, info, false, nullptr, false).isSuccess()) {
            continue;
        }
        has_inlined = true;
        for (llvm::CallBase* inner : info.InlinedCallSites) {
            chains[inner] = chain;
            open.push_back(inner);
        }
    }
    return has_inlined;
}

bool is_local_or_constant(const llvm::LoadInst& load) {
    llvm::SmallVector<const llvm::Value*, 4> bases;
    llvm::getUnderlyingObjects(load.getPointerOperand(), bases, nullptr, 0);
    return llvm::all_of(bases, [](const llvm::Value* base) {
        const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
        return llvm::isa<llvm::AllocaInst>(base) || (global && global->isConstant());
    });
}

// A load whose value turns out not to matter would be dropped, but the device may make it all the same: give each a use
// that cannot be dropped.
void keep_loads(llvm::Function& code) {
    llvm::Module& module = *code.getParent();
    llvm::LLVMContext& context = module.getContext();
    llvm::FunctionCallee keep =
        module.getOrInsertFunction("keep@", llvm::FunctionType::get(llvm::Type::getVoidTy(context), true));
    auto* declaration = llvm::cast<llvm::Function>(keep.getCallee());
    declaration->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    declaration->setDoesNotThrow();
    declaration->setWillReturn();
    std::vector<llvm::LoadInst*> loads;
    for (llvm::Instruction& instruction : llvm::instructions(code)) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        const bool is_kept = load && llvm::any_of(load->users(), [&](const llvm::User* user) {
                                 const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
                                 return call && call->getCalledFunction() == declaration;
                             });
        if (load && !is_kept && !is_local_or_constant(*load)) {
            loads.push_back(load);
        }
    }
    for (llvm::LoadInst* load : loads) {
        llvm::IRBuilder<> builder(load->getNextNode());
        builder.CreateCall(keep, {load})->setDebugLoc(llvm::DebugLoc());
    }
}

std::vector<Opaque> opaque_in(llvm::Function& code) {
    std::vector<Opaque> found;
    for (const llvm::Instruction& instruction : llvm::instructions(code)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (!call || llvm::isa<llvm::MemIntrinsic>(call) || is_harmless_call(*call)) {
            continue;
        }
        using Kind = Opaque::Kind;
        const llvm::Function* callee = call->getCalledFunction();
        const Kind kind = call->isInlineAsm()       ? Kind::assembly
                          : callee == nullptr       ? Kind::pointer
                          : callee->isDeclaration() ? Kind::undefined
                                                    : Kind::recursive;
        found.push_back({kind, place_of(instruction), callee ? source_name(callee->getName().str()) : ""});
    }
    const llvm::DominatorTree dominators(code);
    const llvm::LoopInfo loops(dominators);
    llvm::ReversePostOrderTraversal<llvm::Function*> traversal(&code);
    if (llvm::containsIrreducibleCFG<llvm::BasicBlock*>(traversal, loops)) {
        found.push_back({Opaque::Kind::loop, "", ""});
    }
    return found;
}

}  // namespace

StepFunction make_step_function(llvm::Module& module, const llvm::CallBase& call,
                                const std::vector<llvm::Value*>& constants, const std::vector<bool>& is_somewhere) {
    StepFunction step;
    std::vector<llvm::Type*> types;
    for (std::size_t i = 0; i < constants.size(); ++i) {
        if (constants[i] == nullptr) {
            types.push_back(call.getArgOperand(static_cast<unsigned>(i))->getType());
            step.argument_of.push_back(static_cast<int>(i));
        }
    }
    llvm::LLVMContext& context = module.getContext();
    step.code = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                                       llvm::GlobalValue::InternalLinkage, "step@", module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", step.code));
    for (unsigned i = 0; i < step.argument_of.size(); ++i) {
        if (is_somewhere[static_cast<std::size_t>(step.argument_of[i])]) {
            step.code->addParamAttr(i, llvm::Attribute::NonNull);
        }
    }
    auto* copy = llvm::cast<llvm::CallBase>(call.clone());
    unsigned next = 0;
    for (std::size_t i = 0; i < constants.size(); ++i) {
        copy->setArgOperand(static_cast<unsigned>(i), constants[i] ? constants[i] : step.code->getArg(next++));
    }
    copy->setDebugLoc(llvm::DebugLoc());
    builder.Insert(copy);
    builder.CreateRetVoid();

    std::map<const llvm::CallBase*, Chain> chains;
    for (int round = 0; round < k_inlining_rounds_max && inline_calls(*step.code, chains); ++round) {
        run_passes({step.code}, k_promote);
        keep_loads(*step.code);
        run_passes({step.code}, k_fold);
    }
    run_passes({step.code}, k_loops);
    spell_exit_values(*step.code);
    run_passes({step.code}, k_clean);
    step.opaque = opaque_in(*step.code);
    return step;
}

}  // namespace metamorph::cfront

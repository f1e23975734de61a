// Flow-insensitive: each function's own accesses by underlying object, then a fixed point over the call graph in which
// a callee's parameters stand for what the caller passes. Recursion needs nothing special.
#include "cfront/memory_effects.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace metamorph::cfront {
namespace {

// Where pointers of unknown origin may lead: to variables that other files can name, or whose address is used for more
// than loading and storing.
std::set<const llvm::GlobalVariable*> exposed_variables(const llvm::Module& module) {
    std::set<const llvm::GlobalVariable*> exposed;
    for (const llvm::GlobalVariable& variable : module.globals()) {
        if (variable.isConstant()) {
            continue;
        }
        bool is_exposed = !variable.hasLocalLinkage();
        std::vector<const llvm::User*> users(variable.user_begin(), variable.user_end());
        while (!users.empty() && !is_exposed) {
            const llvm::User* user = users.back();
            users.pop_back();
            const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
            if (llvm::isa<llvm::GEPOperator>(user)) {
                users.insert(users.end(), user->user_begin(), user->user_end());
            } else if (!llvm::isa<llvm::LoadInst>(user) && !llvm::isa<llvm::ICmpInst>(user) &&
                       !llvm::isa<llvm::MemIntrinsic>(user) &&
                       !(store && !llvm::isa<llvm::GEPOperator>(store->getValueOperand()) &&
                         store->getValueOperand() != &variable)) {
                is_exposed = true;
            }
        }
        if (is_exposed) {
            exposed.insert(&variable);
        }
    }
    return exposed;
}

class EffectsFinder {
public:
    explicit EffectsFinder(const llvm::Module& module) : m_module(module), m_exposed(exposed_variables(module)) {}

    std::map<const llvm::Function*, Effects> find() {
        for (const llvm::Function& function : m_module) {
            if (!function.isDeclaration()) {
                m_effects[&function];
            }
        }
        bool has_changed = true;
        while (has_changed) {
            has_changed = false;
            for (auto& [function, effects] : m_effects) {
                const std::size_t before = weight(effects);
                for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
                    add(*function, instruction, effects);
                }
                has_changed = has_changed || weight(effects) != before;
            }
        }
        return std::move(m_effects);
    }

private:
    static std::size_t weight(const Effects& e) {
        return e.reads_globals.size() + e.writes_globals.size() + e.reads_parameters.size() +
               e.writes_parameters.size() + (e.calls_unknown ? 1 : 0);
    }

    void add_anything(const llvm::Function& function, bool is_write, Effects& effects) const {
        (is_write ? effects.writes_globals : effects.reads_globals).insert(m_exposed.begin(), m_exposed.end());
        for (const llvm::Argument& argument : function.args()) {
            if (argument.getType()->isPointerTy()) {
                (is_write ? effects.writes_parameters : effects.reads_parameters).insert(argument.getArgNo());
            }
        }
    }

    void add_address(const llvm::Function& function, const llvm::Value* address, bool is_write,
                     Effects& effects) const {
        llvm::SmallVector<const llvm::Value*, 4> objects;
        llvm::getUnderlyingObjects(address, objects, nullptr, 0);
        for (const llvm::Value* object : objects) {
            if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
                (is_write ? effects.writes_globals : effects.reads_globals).insert(variable);
            } else if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object)) {
                (is_write ? effects.writes_parameters : effects.reads_parameters).insert(argument->getArgNo());
            } else if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isa<llvm::ConstantPointerNull>(object) &&
                       !llvm::isa<llvm::UndefValue>(object)) {
                add_anything(function, is_write, effects);
            }
        }
    }

    void add(const llvm::Function& function, const llvm::Instruction& instruction, Effects& effects) const {
        if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
            add_address(function, load->getPointerOperand(), false, effects);
        } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
            add_address(function, store->getPointerOperand(), true, effects);
        } else if (const auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
            add_address(function, fill->getDest(), true, effects);
            if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(fill)) {
                add_address(function, copy->getSource(), false, effects);
            }
        } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
            add_call(function, *call, effects);
        } else if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::FenceInst>(&instruction)) {
            add_anything(function, false, effects);
            add_anything(function, true, effects);
        }
    }

    void add_arguments(const llvm::Function& function, const llvm::CallBase& call, const std::set<unsigned>& indices,
                       bool is_write, Effects& effects) const {
        for (const unsigned index : indices) {
            if (index < call.arg_size()) {
                add_address(function, call.getArgOperand(index), is_write, effects);
            }
        }
    }

    void add_call(const llvm::Function& function, const llvm::CallBase& call, Effects& effects) const {
        const llvm::Function* callee = call.getCalledFunction();
        const auto known = m_effects.find(callee);
        if (known != m_effects.end()) {
            const Effects inner = known->second;
            effects.reads_globals.insert(inner.reads_globals.begin(), inner.reads_globals.end());
            effects.writes_globals.insert(inner.writes_globals.begin(), inner.writes_globals.end());
            effects.calls_unknown = effects.calls_unknown || inner.calls_unknown;
            add_arguments(function, call, inner.reads_parameters, false, effects);
            add_arguments(function, call, inner.writes_parameters, true, effects);
        } else if (!is_harmless_call(call)) {
            effects.calls_unknown = effects.calls_unknown || callee == nullptr;
            add_anything(function, false, effects);
            add_anything(function, true, effects);
            for (const llvm::Value* argument : call.args()) {
                if (argument->getType()->isPointerTy()) {
                    add_address(function, argument, false, effects);
                    add_address(function, argument, true, effects);
                }
            }
        }
    }

    const llvm::Module& m_module;
    std::set<const llvm::GlobalVariable*> m_exposed;
    std::map<const llvm::Function*, Effects> m_effects;
};

}  // namespace

std::map<const llvm::Function*, Effects> memory_effects(const llvm::Module& module) {
    return EffectsFinder(module).find();
}

bool is_harmless_call(const llvm::CallBase& call) {
    if (call.doesNotAccessMemory() || call.doesNotReturn() || call.onlyAccessesInaccessibleMemory()) {
        return true;
    }
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
        return intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd() ||
               intrinsic->getIntrinsicID() == llvm::Intrinsic::stacksave ||
               intrinsic->getIntrinsicID() == llvm::Intrinsic::stackrestore;
    }
    return false;
}

}  // namespace metamorph::cfront

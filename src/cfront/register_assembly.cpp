// A barrier, an instruction that waits, a load through an address: none has both numbers that go in and a number that
// comes out, so each of them stays what counts as reading and writing everything.
#include "cfront/register_assembly.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace metamorph::cfront {
namespace {

bool is_number(const llvm::Value* value) {
    return value->getType()->isIntOrIntVectorTy() || value->getType()->isFPOrFPVectorTy();
}

bool computes_only(const llvm::CallBase& call) {
    const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
    if (assembly == nullptr) {
        return false;
    }
    bool has_result = false, has_operand = false;
    for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly->ParseConstraints()) {
        if (constraint.Type == llvm::InlineAsm::isClobber) {
            if (llvm::is_contained(constraint.Codes, "{memory}")) {
                return false;
            }
            continue;
        }
        if (constraint.isIndirect || constraint.Type == llvm::InlineAsm::isLabel) {
            return false;
        }
        (constraint.Type == llvm::InlineAsm::isOutput ? has_result : has_operand) = true;
    }
    return has_result && has_operand && llvm::all_of(call.args(), [](const llvm::Use& operand) {
               return is_number(operand) && !llvm::isa<llvm::PtrToIntOperator>(operand);
           });
}

}  // namespace

void mark_register_assembly(llvm::Module& module) {
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call && computes_only(*call)) {
                call->setDoesNotAccessMemory();
                call->setDoesNotThrow();
                call->addFnAttr(llvm::Attribute::WillReturn);
            }
        }
    }
}

}  // namespace metamorph::cfront

// Values that scalar evolution does not describe, on the instructions themselves: selects, comparisons as numbers,
// divisions and bit operations, loads from tables of constants.
#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include "cfront/affine_value.h"

namespace metamorph::cfront {

std::optional<Affine> Evaluator::instruction(const llvm::Instruction* instruction) {
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(instruction)) {
        const Truth truth = condition(select->getOperand(0));
        if (truth.can.empty()) {
            return value(select->getOperand(2));
        }
        const bool is_always = truth.must.begin == 0 && truth.must.end == m_trips;
        return is_always ? value(select->getOperand(1)) : std::nullopt;
    }
    if (llvm::isa<llvm::ICmpInst>(instruction)) {
        const Truth truth = comparison(instruction);
        if (truth.can.empty()) {
            return Affine{nullptr, 0, 0, 1};
        }
        const bool is_always = truth.must.begin == 0 && truth.must.end == m_trips;
        return is_always ? std::optional(Affine{nullptr, -1, 0, 1}) : std::nullopt;
    }
    if (llvm::isa<llvm::LoadInst>(instruction)) {
        return constant_load(instruction);
    }
    if (llvm::isa<llvm::FreezeInst>(instruction)) {
        return value(instruction->getOperand(0));
    }
    if (llvm::isa<llvm::GetElementPtrInst>(instruction) || !instruction->getType()->isIntegerTy() ||
        instruction->getType()->getIntegerBitWidth() > 64) {
        return std::nullopt;
    }
    if (llvm::isa<llvm::BinaryOperator>(instruction)) {
        const std::optional<Affine> a = value(instruction->getOperand(0));
        const std::optional<Affine> b = a ? value(instruction->getOperand(1)) : std::nullopt;
        return b ? binary(instruction->getOpcode(), *a, *b) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<Affine> Evaluator::binary(unsigned opcode, const Affine& a, const Affine& b) const {
    if (a.base || b.base) {
        return std::nullopt;
    }
    switch (opcode) {
        case llvm::Instruction::Add:
            return sum(a, b);
        case llvm::Instruction::Sub:
            return sum(a, *product(b, Affine{nullptr, -1, 0, b.width}));
        case llvm::Instruction::Mul:
            return product(a, b);
        default:
            break;
    }
    if (a.step != 0 || b.step != 0) {
        return std::nullopt;
    }
    const llvm::APInt x(a.width, static_cast<std::uint64_t>(a.start), true);
    const llvm::APInt y(b.width, static_cast<std::uint64_t>(b.start), true);
    const auto result = [&](const llvm::APInt& v) { return Affine{nullptr, v.getSExtValue(), 0, a.width}; };
    const bool is_shift_good = y.ult(a.width);
    switch (opcode) {
        case llvm::Instruction::And:
            return result(x & y);
        case llvm::Instruction::Or:
            return result(x | y);
        case llvm::Instruction::Xor:
            return result(x ^ y);
        case llvm::Instruction::Shl:
            return is_shift_good ? std::optional(result(x.shl(y))) : std::nullopt;
        case llvm::Instruction::LShr:
            return is_shift_good ? std::optional(result(x.lshr(y))) : std::nullopt;
        case llvm::Instruction::AShr:
            return is_shift_good ? std::optional(result(x.ashr(y))) : std::nullopt;
        default:
            break;
    }
    if (y.isZero() || (y.isAllOnes() && x.isMinSignedValue())) {
        return std::nullopt;
    }
    switch (opcode) {
        case llvm::Instruction::UDiv:
            return result(x.udiv(y));
        case llvm::Instruction::SDiv:
            return result(x.sdiv(y));
        case llvm::Instruction::URem:
            return result(x.urem(y));
        case llvm::Instruction::SRem:
            return result(x.srem(y));
        default:
            return std::nullopt;
    }
}

std::optional<Affine> Evaluator::constant_load(const llvm::Instruction* load) {
    if (llvm::cast<llvm::LoadInst>(load)->isVolatile()) {
        return std::nullopt;
    }
    const std::optional<Affine> address = value(load->getOperand(0));
    const auto* table = address ? llvm::dyn_cast_or_null<llvm::GlobalVariable>(address->base) : nullptr;
    if (!table || address->step != 0 || !table->isConstant() || !table->hasDefinitiveInitializer()) {
        return std::nullopt;
    }
    llvm::Constant* element = llvm::ConstantFoldLoadFromConst(
        const_cast<llvm::Constant*>(table->getInitializer()), load->getType(),
        llvm::APInt(address->width, static_cast<std::uint64_t>(address->start), true), m_layout);
    return element ? constant(element) : std::nullopt;
}

}  // namespace metamorph::cfront

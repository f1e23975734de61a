// Rejected: asking scalar evolution for ranges only. They forget how a guard and an index hang together, so every
// padded convolution came out too wide, and nothing could be proved to be written.
#include "cfront/affine_value.h"

#include <algorithm>
#include <limits>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace metamorph::cfront {
namespace {

constexpr int k_depth_max = 64;

std::int64_t wrapped(std::int64_t value, unsigned width) {
    if (width >= 64) {
        return value;
    }
    const unsigned shift = 64 - width;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift;
}

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// start + step · (trips − 1), or nothing if it leaves 64 bits.
std::optional<std::int64_t> last_of(std::int64_t start, std::int64_t step, std::int64_t trips) {
    std::int64_t product = 0;
    std::int64_t total = 0;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(trips - 1, 0), &product) ||
        __builtin_add_overflow(start, product, &total)) {
        return std::nullopt;
    }
    return total;
}

class DepthGuard {
public:
    explicit DepthGuard(int& depth) : m_depth(depth) { ++m_depth; }
    ~DepthGuard() { --m_depth; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

private:
    int& m_depth;
};

}  // namespace

std::optional<Affine> Evaluator::exact(Affine value, Signedness signedness) const {
    const unsigned width = value.width;
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    if (signedness == Signedness::unsigned_value) {
        low = 0;
        if (width < 63) {
            high = (std::int64_t{1} << width) - 1;
            if (value.start < 0) {
                value.start += std::int64_t{1} << width;
            }
        }
    } else if (width < 64) {
        low = -(std::int64_t{1} << (width - 1));
        high = -low - 1;
    }
    const std::optional<std::int64_t> last = last_of(value.start, value.step, m_trips);
    if (!last || value.start < low || value.start > high || *last < low || *last > high) {
        return std::nullopt;
    }
    return value;
}

std::optional<Affine> Evaluator::sum(const Affine& a, const Affine& b) const {
    if (a.base && b.base) {
        return std::nullopt;
    }
    return Affine{a.base ? a.base : b.base, wrapped(wrapping_add(a.start, b.start), a.width),
                  wrapped(wrapping_add(a.step, b.step), a.width), a.width};
}

std::optional<Affine> Evaluator::product(const Affine& a, const Affine& b) const {
    if (a.base || b.base || (a.step != 0 && b.step != 0)) {
        return std::nullopt;
    }
    const std::int64_t step = a.step != 0 ? wrapping_multiply(a.step, b.start) : wrapping_multiply(b.step, a.start);
    return Affine{nullptr, wrapped(wrapping_multiply(a.start, b.start), a.width), wrapped(step, a.width), a.width};
}

std::optional<Affine> Evaluator::recurrence(const llvm::SCEVAddRecExpr* expression) {
    if (!expression->isAffine()) {
        return std::nullopt;
    }
    const std::optional<Affine> start = value(expression->getStart());
    const std::optional<Affine> step = value(expression->getOperand(1));
    if (!start || !step || step->base || step->step != 0) {
        return std::nullopt;
    }
    if (expression->getLoop() == m_open) {
        return start->step == 0 ? sum(*start, Affine{nullptr, 0, step->start, start->width}) : std::nullopt;
    }
    const auto bound = m_iterations.find(expression->getLoop());
    if (bound == m_iterations.end()) {
        return std::nullopt;
    }
    const std::int64_t gone = wrapped(wrapping_multiply(step->start, bound->second), start->width);
    return sum(*start, Affine{nullptr, gone, 0, start->width});
}

std::optional<Affine> Evaluator::extremum(const llvm::SCEVNAryExpr* expression, bool is_signed, bool is_max) {
    const Signedness signedness = is_signed ? Signedness::signed_value : Signedness::unsigned_value;
    std::optional<Affine> best;
    for (const llvm::SCEV* operand : expression->operands()) {
        const std::optional<Affine> raw = value(operand);
        const std::optional<Affine> next = raw && !raw->base ? exact(*raw, signedness) : std::nullopt;
        if (!next) {
            return std::nullopt;
        }
        if (!best) {
            best = next;
            continue;
        }
        const std::optional<std::int64_t> a = last_of(best->start, best->step, m_trips);
        const std::optional<std::int64_t> b = last_of(next->start, next->step, m_trips);
        const bool is_best = best->start >= next->start && *a >= *b;
        const bool is_next = next->start >= best->start && *b >= *a;
        if (!is_best && !is_next) {
            return std::nullopt;  // they cross within the open loop
        }
        if (is_best != is_max) {
            best = next;
        }
        if (is_best && is_next) {
            best = next;
        }
    }
    best->start = wrapped(best->start, best->width);
    return best;
}

std::optional<Affine> Evaluator::resized(const llvm::SCEV* operand, unsigned width, Signedness signedness) {
    const std::optional<Affine> narrow = value(operand);
    if (!narrow || narrow->base) {
        return std::nullopt;
    }
    if (width <= narrow->width) {
        return Affine{nullptr, wrapped(narrow->start, width), wrapped(narrow->step, width), width};
    }
    std::optional<Affine> wide = exact(*narrow, signedness);
    if (wide) {
        wide->width = width;
    }
    return wide;
}

std::optional<Affine> Evaluator::value(const llvm::SCEV* expression) {
    const DepthGuard guard(m_depth);
    if (m_depth > k_depth_max || llvm::isa<llvm::SCEVCouldNotCompute>(expression)) {
        return std::nullopt;
    }
    const auto width = static_cast<unsigned>(m_evolution.getTypeSizeInBits(expression->getType()));
    if (width > 64) {
        return std::nullopt;
    }
    switch (expression->getSCEVType()) {
        case llvm::scConstant:
            return Affine{nullptr, llvm::cast<llvm::SCEVConstant>(expression)->getAPInt().getSExtValue(), 0, width};
        case llvm::scUnknown:
            return value(llvm::cast<llvm::SCEVUnknown>(expression)->getValue());
        case llvm::scAddRecExpr:
            return recurrence(llvm::cast<llvm::SCEVAddRecExpr>(expression));
        case llvm::scTruncate:
        case llvm::scZeroExtend:
            return resized(llvm::cast<llvm::SCEVCastExpr>(expression)->getOperand(), width, Signedness::unsigned_value);
        case llvm::scSignExtend:
            return resized(llvm::cast<llvm::SCEVCastExpr>(expression)->getOperand(), width, Signedness::signed_value);
        case llvm::scAddExpr:
        case llvm::scMulExpr: {
            const auto* terms = llvm::cast<llvm::SCEVNAryExpr>(expression);
            std::optional<Affine> total = value(terms->getOperand(0));
            for (unsigned i = 1; total && i < terms->getNumOperands(); ++i) {
                const std::optional<Affine> next = value(terms->getOperand(i));
                total = !next                                          ? std::nullopt
                        : expression->getSCEVType() == llvm::scAddExpr ? sum(*total, *next)
                                                                       : product(*total, *next);
            }
            return total;
        }
        case llvm::scUDivExpr: {
            const auto* division = llvm::cast<llvm::SCEVUDivExpr>(expression);
            const std::optional<Affine> a = value(division->getLHS());
            const std::optional<Affine> b = value(division->getRHS());
            return a && b ? binary(llvm::Instruction::UDiv, *a, *b) : std::nullopt;
        }
        case llvm::scSMaxExpr:
            return extremum(llvm::cast<llvm::SCEVNAryExpr>(expression), true, true);
        case llvm::scSMinExpr:
            return extremum(llvm::cast<llvm::SCEVNAryExpr>(expression), true, false);
        case llvm::scUMaxExpr:
            return extremum(llvm::cast<llvm::SCEVNAryExpr>(expression), false, true);
        case llvm::scUMinExpr:
        case llvm::scSequentialUMinExpr:
            return extremum(llvm::cast<llvm::SCEVNAryExpr>(expression), false, false);
        default:
            return std::nullopt;
    }
}

std::optional<Affine> Evaluator::constant(const llvm::Constant* constant) const {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(constant)) {
        if (number->getBitWidth() <= 64) {
            return Affine{nullptr, number->getSExtValue(), 0, number->getBitWidth()};
        }
    } else if (constant->getType()->isPointerTy()) {
        llvm::APInt offset(m_layout.getIndexTypeSizeInBits(constant->getType()), 0);
        const llvm::Value* base =
            constant->stripAndAccumulateConstantOffsets(m_layout, offset, /*AllowNonInbounds=*/true);
        if (llvm::isa<llvm::GlobalVariable>(base)) {
            return Affine{base, offset.getSExtValue(), 0, offset.getBitWidth()};
        }
    }
    return std::nullopt;
}

std::optional<Affine> Evaluator::value(llvm::Value* value_) {
    const DepthGuard guard(m_depth);
    if (m_depth > k_depth_max) {
        return std::nullopt;
    }
    if (const auto* fixed = llvm::dyn_cast<llvm::Constant>(value_)) {
        return constant(fixed);
    }
    if (value_->getType()->isPointerTy() &&
        (llvm::isa<llvm::Argument>(value_) || llvm::isa<llvm::AllocaInst>(value_))) {
        return Affine{value_, 0, 0, static_cast<unsigned>(m_layout.getIndexTypeSizeInBits(value_->getType()))};
    }
    if (m_evolution.isSCEVable(value_->getType())) {
        const llvm::SCEV* expression = m_evolution.getSCEV(value_);
        if (!llvm::isa<llvm::SCEVUnknown>(expression)) {
            return value(expression);
        }
        value_ = llvm::cast<llvm::SCEVUnknown>(expression)->getValue();
    }
    const auto* known_instruction = llvm::dyn_cast<llvm::Instruction>(value_);
    return known_instruction ? instruction(known_instruction) : std::nullopt;
}

}  // namespace metamorph::cfront

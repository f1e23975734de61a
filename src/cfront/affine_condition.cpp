// Conditions: in which iterations of the open loop they can be true, and in which they certainly are. And what a value
// depends on.
#include <algorithm>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "cfront/affine_value.h"

namespace metamorph::cfront {
namespace {

using llvm::CmpInst;

Range intersection(const Range& a, const Range& b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

Range hull(const Range& a, const Range& b) {
    if (a.empty() || b.empty()) {
        return a.empty() ? b : a;
    }
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// One range of iterations within a ∪ b: all of it where the two touch, else the longer one.
Range within_union(const Range& a, const Range& b) {
    if (a.empty() || b.empty() || (a.begin <= b.end && b.begin <= a.end)) {
        return hull(a, b);
    }
    return a.end - a.begin >= b.end - b.begin ? a : b;
}

bool holds(unsigned predicate, std::int64_t difference) {
    switch (predicate) {
        case CmpInst::ICMP_EQ:
            return difference == 0;
        case CmpInst::ICMP_NE:
            return difference != 0;
        case CmpInst::ICMP_SLT:
        case CmpInst::ICMP_ULT:
            return difference < 0;
        case CmpInst::ICMP_SLE:
        case CmpInst::ICMP_ULE:
            return difference <= 0;
        case CmpInst::ICMP_SGT:
        case CmpInst::ICMP_UGT:
            return difference > 0;
        default:
            return difference >= 0;
    }
}

}  // namespace

Truth Evaluator::negated(const Truth& truth) const {
    const auto complement_hull = [&](const Range& r) {
        if (r.empty()) {
            return all();
        }
        const bool is_at_begin = r.begin <= 0;
        const bool is_at_end = r.end >= m_trips;
        return Range{is_at_begin ? r.end : 0, is_at_end ? r.begin : m_trips};
    };
    const auto longest_complement = [&](const Range& r) {
        if (r.empty()) {
            return all();
        }
        const Range before{0, r.begin};
        const Range after{r.end, m_trips};
        return before.end - before.begin >= after.end - after.begin ? before : after;
    };
    return {complement_hull(truth.must), longest_complement(truth.can)};
}

// `start + step · i  PREDICATE  0`; the differences must be exact over the open loop.
Truth Evaluator::solve(unsigned predicate, std::int64_t start, std::int64_t step) const {
    if (step == 0 || m_trips <= 1) {
        return known(holds(predicate, start));
    }
    if (predicate == CmpInst::ICMP_EQ || predicate == CmpInst::ICMP_NE) {
        const std::int64_t root = -(start / step);
        const bool is_hit = start % step == 0 && root >= 0 && root < m_trips;
        const Range hit = is_hit ? Range{root, root + 1} : Range{0, 0};
        const Truth equal{hit, hit};
        return predicate == CmpInst::ICMP_EQ ? equal : negated(equal);
    }
    const bool first = holds(predicate, start);
    if (first == holds(predicate, start + step * (m_trips - 1))) {
        return known(first);
    }
    std::int64_t low = 0;  // holds as the first one does
    std::int64_t high = m_trips - 1;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (holds(predicate, start + step * middle) == first ? low : high) = middle;
    }
    const Range found = first ? Range{0, high} : Range{high, m_trips};
    return {found, found};
}

Truth Evaluator::comparison(const llvm::Instruction* instruction) {
    const auto* compare = llvm::cast<llvm::ICmpInst>(instruction);
    const std::optional<Affine> raw_a = value(compare->getOperand(0));
    const std::optional<Affine> raw_b = raw_a ? value(compare->getOperand(1)) : std::nullopt;
    if (!raw_b || raw_a->base != raw_b->base) {
        return unknown();
    }
    const Signedness signedness =
        compare->isUnsigned() && !raw_a->base ? Signedness::unsigned_value : Signedness::signed_value;
    std::optional<Affine> a = exact(*raw_a, signedness);
    std::optional<Affine> b = exact(*raw_b, signedness);
    if (compare->isEquality() && (!a || !b)) {
        a = exact(*raw_a, Signedness::unsigned_value);
        b = exact(*raw_b, Signedness::unsigned_value);
    }
    std::int64_t start = 0;
    std::int64_t step = 0;
    std::int64_t reach = 0;
    std::int64_t last = 0;
    if (!a || !b || __builtin_sub_overflow(a->start, b->start, &start) ||
        __builtin_sub_overflow(a->step, b->step, &step) || __builtin_mul_overflow(step, m_trips, &reach) ||
        __builtin_add_overflow(start, reach, &last)) {
        return unknown();
    }
    return solve(compare->getPredicate(), start, step);
}

Truth Evaluator::condition(llvm::Value* value_) {
    namespace match = llvm::PatternMatch;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value_)) {
        return known(!constant->isZero());
    }
    llvm::Value* a = nullptr;
    llvm::Value* b = nullptr;
    CmpInst::Predicate predicate = CmpInst::ICMP_EQ;
    if (++m_depth > 32) {
        --m_depth;
        return unknown();
    }
    Truth truth = unknown();
    if (match::match(value_, match::m_Not(match::m_Value(a)))) {
        truth = negated(condition(a));
    } else if (match::match(value_, match::m_LogicalAnd(match::m_Value(a), match::m_Value(b)))) {
        const Truth x = condition(a);
        const Truth y = condition(b);
        truth = {intersection(x.can, y.can), intersection(x.must, y.must)};
    } else if (match::match(value_, match::m_LogicalOr(match::m_Value(a), match::m_Value(b)))) {
        const Truth x = condition(a);
        const Truth y = condition(b);
        truth = {hull(x.can, y.can), within_union(x.must, y.must)};
    } else if (match::match(value_, match::m_ICmp(predicate, match::m_ZExt(match::m_Value(a)), match::m_Zero())) &&
               a->getType()->isIntegerTy(1) && (predicate == CmpInst::ICMP_EQ || predicate == CmpInst::ICMP_NE)) {
        truth = predicate == CmpInst::ICMP_NE ? condition(a) : negated(condition(a));
    } else if (llvm::isa<llvm::ICmpInst>(value_)) {
        truth = comparison(llvm::cast<llvm::Instruction>(value_));
    } else if (value_->getType()->isIntegerTy(1)) {
        const std::optional<Affine> bit = value(value_);
        truth = bit && bit->step == 0 ? known(bit->start != 0) : unknown();
    }
    --m_depth;
    return truth;
}

void Evaluator::loops_of(const llvm::SCEV* expression, std::set<const llvm::Loop*>& loops) {
    struct Visitor {
        Evaluator& evaluator;
        std::set<const llvm::Loop*>& loops;
        bool follow(const llvm::SCEV* part) {
            if (const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part)) {
                loops.insert(recurrence->getLoop());
            } else if (const auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(part)) {
                evaluator.loops_of(leaf->getValue(), loops);
            }
            return true;
        }
        bool isDone() const { return false; }
    };
    Visitor visitor{*this, loops};
    llvm::visitAll(expression, visitor);
}

void Evaluator::loops_of(llvm::Value* value_, std::set<const llvm::Loop*>& loops) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value_);
    if (!instruction || llvm::isa<llvm::AllocaInst>(instruction) || m_depth > k_depth_of_loops) {
        return;
    }
    ++m_depth;
    const llvm::SCEV* expression = m_evolution.isSCEVable(value_->getType()) ? m_evolution.getSCEV(value_) : nullptr;
    if (expression && !llvm::isa<llvm::SCEVUnknown>(expression)) {
        loops_of(expression, loops);
    }
    // Also the operands: conditions are evaluated on the instructions, whatever scalar evolution makes of them.
    if (!llvm::isa<llvm::PHINode>(instruction) && !llvm::isa<llvm::CallBase>(instruction) &&
        (!expression || llvm::isa<llvm::SCEVUnknown>(expression) || value_->getType()->isIntegerTy(1))) {
        for (llvm::Value* operand : instruction->operand_values()) {
            loops_of(operand, loops);
        }
    }
    --m_depth;
}

}  // namespace metamorph::cfront

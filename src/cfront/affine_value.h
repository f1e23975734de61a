// Evaluates addresses, conditions and trip counts of intermediate code at given iterations of the loops around them:
// exact, or not at all. For one loop at a time the iteration may stay open: the value is then affine in it (start +
// step · i), which turns a whole row of accesses into one evaluation.
//
// Arithmetic is that of the machine (modulo 2^width); `exact` gives the value as an integer only where no iteration
// wraps. Scalar evolution describes what depends on loops; what it does not know (selects, divisions, tables of
// constants) is evaluated on the instructions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instruction.h>

namespace llvm {
class SCEVNAryExpr;
class SCEVAddRecExpr;
}  // namespace llvm

namespace metamorph::cfront {

struct Affine {
    const llvm::Value* base = nullptr;  // of an address: parameter, global or local; the rest is the offset in bytes
    std::int64_t start = 0, step = 0;   // as signed numbers of `width` bits
    unsigned width = 64;
};

// Iterations of the open loop, half open.
struct Range {
    std::int64_t begin = 0, end = 0;
    bool empty() const { return begin >= end; }
};

struct Truth {
    Range can, must;  // iterations in which a condition can be true; in which it certainly is
};

enum class Signedness { signed_value, unsigned_value };

class Evaluator {
public:
    Evaluator(llvm::ScalarEvolution& evolution, const llvm::DataLayout& layout)
        : m_evolution(evolution), m_layout(layout) {}

    void bind(const llvm::Loop* loop, std::int64_t iteration) { m_iterations[loop] = iteration; }
    void unbind(const llvm::Loop* loop) { m_iterations.erase(loop); }
    void open(const llvm::Loop* loop, std::int64_t trips) { m_open = loop, m_trips = trips; }
    void close() { m_open = nullptr, m_trips = 1; }
    bool is_open() const { return m_open != nullptr; }
    Range all() const { return {0, m_trips}; }

    std::optional<Affine> value(const llvm::SCEV* expression);
    std::optional<Affine> value(llvm::Value* value);
    Truth condition(llvm::Value* value);
    Truth negated(const Truth& truth) const;

    // The same numbers, if no iteration of the open loop wraps around.
    std::optional<Affine> exact(Affine value, Signedness signedness) const;

    // The loops whose iteration the value depends on, as far as it can be evaluated at all.
    void loops_of(const llvm::SCEV* expression, std::set<const llvm::Loop*>& loops);
    void loops_of(llvm::Value* value, std::set<const llvm::Loop*>& loops);

private:
    std::optional<Affine> recurrence(const llvm::SCEVAddRecExpr* expression);
    std::optional<Affine> extremum(const llvm::SCEVNAryExpr* expression, bool is_signed, bool is_max);
    std::optional<Affine> resized(const llvm::SCEV* operand, unsigned width, Signedness signedness);
    std::optional<Affine> sum(const Affine& a, const Affine& b) const;
    std::optional<Affine> product(const Affine& a, const Affine& b) const;
    std::optional<Affine> instruction(const llvm::Instruction* instruction);
    std::optional<Affine> binary(unsigned opcode, const Affine& a, const Affine& b) const;
    std::optional<Affine> constant_load(const llvm::Instruction* load);
    std::optional<Affine> constant(const llvm::Constant* constant) const;
    Truth comparison(const llvm::Instruction* compare);
    Truth solve(unsigned predicate, std::int64_t start, std::int64_t step) const;
    Truth unknown() const { return {all(), {0, 0}}; }
    Truth known(bool is_true) const { return is_true ? Truth{all(), all()} : Truth{{0, 0}, {0, 0}}; }

    llvm::ScalarEvolution& m_evolution;
    const llvm::DataLayout& m_layout;
    std::map<const llvm::Loop*, std::int64_t> m_iterations;
    const llvm::Loop* m_open = nullptr;
    std::int64_t m_trips = 1;  // of the open loop; 1 if none is open
    static constexpr int k_depth_of_loops = 64;
    int m_depth = 0;
};

}  // namespace metamorph::cfront

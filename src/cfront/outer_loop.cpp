// What is shown, or else said why not:
//
// 1. All stores to objects lie in one loop, which runs a constant number of times, whatever the data. It is an
// outermost
//    one, but for loops of a single round (a batch of 1) around it: these only prepare what is in them.
// 2. No value goes from one round to the next: what the loop's header merges are formulas of the round's number
//    (induction variables, pointers that move on by a constant), and no local memory that outlives a round is both
//    stored to and loaded from inside the loop.
// 3. The bytes that a round stores are stored by no other round: the accesses are enumerated with the outer loop's
//    iteration fixed, a round at a time.
// 4. Nothing that the call stores is loaded by it.
//
// What precedes the loop only prepares it (2 and 4), so that it can run before every slice. Local memory that is
// declared outside of the loop and that a round fills before it reads it (a column buffer) would be fine, too, but
// showing that needs the order of accesses: refused.
#include "cfront/outer_loop.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cfront/memory_operations.h"
#include "cfront/path_conditions.h"
#include "cfront/program.h"

namespace metamorph::cfront {
namespace {

constexpr std::int64_t k_rounds_max = 100'000;

using Bytes = std::map<ObjectId, IntervalSet>;

class OuterLoopFinder {
public:
    OuterLoopFinder(const StepCode& step, const ObjectAt& object_at) : m_step(step), m_object_at(object_at) {}

    OuterLoop run(const std::vector<Access>& accesses) {
        if (find_loop() && enter_single_rounds() && count_rounds() && carries_nothing() && keeps_nothing_in_locals() &&
            reads_no_result(accesses)) {
            rounds_are_disjoint();
        }
        if (!m_found.why_not.empty()) {
            m_found.rounds = 0;
        }
        return std::move(m_found);
    }

private:
    bool refuse(std::string why) {
        m_found.why_not = std::move(why);
        return false;
    }

    // Of its head: Clang notes it with the loop, as what is left of its instructions may have no line.
    static std::string place_of_loop(const llvm::Loop& loop) { return place_of(loop.getStartLoc()); }

    const llvm::Loop* outermost(const llvm::Instruction& instruction) const {
        const llvm::Loop* loop = m_step.loops.getLoopFor(instruction.getParent());
        return loop != nullptr ? loop->getOutermostLoop() : nullptr;
    }

    static std::vector<const llvm::Value*> bases_of(const MemoryOperation& operation) {
        llvm::SmallVector<const llvm::Value*, 4> bases;
        llvm::getUnderlyingObjects(operation.address, bases, nullptr, 0);
        return {bases.begin(), bases.end()};
    }

    // 1: gathers the operations, and the loop around all stores to objects.
    bool find_loop() {
        for (llvm::Instruction& instruction : llvm::instructions(m_step.code)) {
            if (!m_step.dominators.isReachableFromEntry(instruction.getParent())) {
                continue;
            }
            const auto operations = operations_of(instruction, m_step.code.getParent()->getDataLayout());
            if (!operations) {
                return refuse(place_of(instruction) + " is not understood");
            }
            for (const MemoryOperation& operation : *operations) {
                if (!add(operation)) {
                    return false;
                }
            }
        }
        if (m_loop == nullptr) {
            return refuse("it stores nothing in a loop");
        }
        m_found.where = place_of_loop(*m_loop);
        return true;
    }

    bool add(const MemoryOperation& operation) {
        m_operations.push_back(operation);
        const std::vector<const llvm::Value*> bases = bases_of(operation);
        if (operation.kind == AccessKind::read || std::all_of(bases.begin(), bases.end(), is_no_object)) {
            return true;
        }
        const llvm::Loop* loop = outermost(*operation.instruction);
        if (loop == nullptr) {
            return refuse("the store at " + place_of(*operation.instruction) + " is outside of its loops");
        }
        if (m_loop != nullptr && m_loop != loop) {
            return refuse("it stores in several loops, one behind the other: " + place_of_loop(*m_loop) + " and " +
                          place_of_loop(*loop));
        }
        m_loop = loop;
        m_stores.push_back(operation);
        return true;
    }

    // Of the loop; nothing where it depends on data.
    std::optional<std::int64_t> rounds_of(const llvm::Loop& loop) const {
        for (const LoopTrips& trips : path_of(m_stores.front()).loops) {
            const auto* backedges = llvm::dyn_cast_or_null<llvm::SCEVConstant>(trips.backedges);
            if (trips.loop == &loop && backedges != nullptr && backedges->getAPInt().getActiveBits() <= 40) {
                return static_cast<std::int64_t>(backedges->getAPInt().getZExtValue()) + trips.extra;
            }
        }
        return std::nullopt;
    }

    // From a loop of one round to the only one in it that has stores. Where there is none, count_rounds() refuses.
    bool enter_single_rounds() {
        while (rounds_of(*m_loop) == 1) {
            const llvm::Loop* inner = nullptr;
            for (const MemoryOperation& store : m_stores) {
                const llvm::Loop* loop = m_step.loops.getLoopFor(store.instruction->getParent());
                while (loop != m_loop && loop->getParentLoop() != m_loop) {
                    loop = loop->getParentLoop();
                }
                if (loop == m_loop) {
                    return true;
                }
                if (inner != nullptr && inner != loop) {
                    return refuse("it stores in several loops, one behind the other: " + place_of_loop(*inner) +
                                  " and " + place_of_loop(*loop));
                }
                inner = loop;
            }
            m_loop = inner;
            m_found.where = place_of_loop(*m_loop);
        }
        return true;
    }

    bool count_rounds() {
        const std::optional<std::int64_t> rounds = rounds_of(*m_loop);
        if (!rounds) {
            return refuse("how often the loop at " + m_found.where + " runs depends on data");
        }
        if (*rounds < 2 || *rounds > k_rounds_max) {
            return refuse("the loop at " + m_found.where + " has " + std::to_string(*rounds) + " rounds");
        }
        m_found.rounds = *rounds;
        return true;
    }

    Path path_of(const MemoryOperation& operation) const {
        return path_to(operation.instruction->getParent(), m_step.loops, m_step.dominators, m_step.evolution);
    }

    // 2, in registers.
    bool carries_nothing() {
        for (const llvm::PHINode& phi : m_loop->getHeader()->phis()) {
            const bool is_scalar = m_step.evolution.isSCEVable(phi.getType());
            const llvm::SCEV* value = is_scalar ? m_step.evolution.getSCEV(const_cast<llvm::PHINode*>(&phi)) : nullptr;
            const auto* recurrence = llvm::dyn_cast_or_null<llvm::SCEVAddRecExpr>(value);
            const bool is_formula =
                value != nullptr &&
                (m_step.evolution.isLoopInvariant(value, m_loop) ||
                 (recurrence != nullptr && recurrence->getLoop() == m_loop && recurrence->isAffine()));
            if (!is_formula) {
                return refuse("the loop at " + m_found.where + " carries a value from each round to the next");
            }
        }
        return true;
    }

    // Declared in the loop's body: each round has one of its own. Clang marks where such memory begins to live.
    bool begins_in_a_round(const llvm::Value& memory) const {
        bool begins = false, begins_outside = false;
        for (const llvm::User* user : memory.users()) {
            const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
            if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
                const bool is_inside = m_loop->contains(call->getParent());
                begins = begins || is_inside;
                begins_outside = begins_outside || !is_inside;
            }
        }
        return begins && !begins_outside;
    }

    // 2, in memory.
    bool keeps_nothing_in_locals() {
        std::map<const llvm::Value*, std::set<AccessKind>> used;
        for (const MemoryOperation& operation : m_operations) {
            if (!m_loop->contains(operation.instruction->getParent())) {
                continue;
            }
            for (const llvm::Value* base : bases_of(operation)) {
                if (llvm::isa<llvm::AllocaInst>(base) && !begins_in_a_round(*base)) {
                    used[base].insert(operation.kind);
                    if (used[base].size() > 1) {
                        return refuse("the loop at " + m_found.where + " stores to local memory and loads from it (" +
                                      place_of(*operation.instruction) + "): it may carry values from round to round");
                    }
                }
            }
        }
        return true;
    }

    // 4: over all arguments, so that two of them may lead to one object.
    bool reads_no_result(const std::vector<Access>& accesses) {
        Bytes written;
        for (const Access& access : accesses) {
            written[access.object].add(access.writes);
        }
        for (const Access& access : accesses) {
            const IntervalSet common = access.reads.intersected(written[access.object]);
            if (!common.empty()) {
                return refuse("it reads bytes that it writes, " + common.print() +
                              (access.read_reason.empty() ? "" : " (" + access.read_reason + ")"));
            }
        }
        return true;
    }

    // 3.
    bool rounds_are_disjoint() {
        std::vector<Path> paths;
        for (const MemoryOperation& store : m_stores) {
            paths.push_back(path_of(store));
            std::erase_if(paths.back().loops, [this](const LoopTrips& trips) { return trips.loop == m_loop; });
        }
        Bytes before;
        bool is_done = true;
        for (std::int64_t round = 0; is_done && round < m_found.rounds; ++round) {
            m_step.evaluator.bind(m_loop, round);
            Bytes own;
            for (std::size_t i = 0; is_done && i < m_stores.size(); ++i) {
                is_done = add_stored(m_stores[i], paths[i], own);
            }
            for (const auto& [object, bytes] : own) {
                if (is_done && before[object].intersects(bytes)) {
                    is_done =
                        refuse("round " + std::to_string(round) + " of the loop at " + m_found.where +
                               " writes what an earlier one wrote: bytes " + before[object].intersected(bytes).print());
                }
                before[object].add(bytes);
            }
        }
        m_step.evaluator.unbind(m_loop);
        return is_done;
    }

    // The bytes that a store touches in the bound round.
    bool add_stored(const MemoryOperation& store, const Path& path, Bytes& bytes) {
        bool is_known = true;
        const TouchSink sink = [&](const llvm::Value* base, const Touch& touch) {
            if (is_no_object(base)) {
                return;
            }
            const auto place = m_object_at(base);
            is_known = is_known && place;
            if (!place) {
                return;
            }
            const std::int64_t begin = touch.offset + place->second;
            if (touch.stride == touch.size) {
                bytes[place->first].add(begin, begin + touch.count * touch.size);
                return;
            }
            for (std::int64_t i = 0; i < touch.count; ++i) {
                bytes[place->first].add(begin + i * touch.stride, begin + i * touch.stride + touch.size);
            }
        };
        const bool is_enumerated =
            walk_access(store, path, m_step.evaluator, m_step.evolution, m_step.loops, sink).has_value();
        return is_known && is_enumerated ? true
                                         : refuse("which bytes a round stores at " + place_of(*store.instruction) +
                                                  " is not known: its address depends on data");
    }

    const StepCode& m_step;
    const ObjectAt& m_object_at;
    const llvm::Loop* m_loop = nullptr;
    std::vector<MemoryOperation> m_operations, m_stores;  // all; those to objects
    OuterLoop m_found;
};

}  // namespace

OuterLoop find_outer_loop(const StepCode& step, const ObjectAt& object_at, const std::vector<Access>& accesses) {
    return OuterLoopFinder(step, object_at).run(accesses);
}

}  // namespace metamorph::cfront

// For each pair of a store and a load: loops that go round and have both in them are in their first round; whatever the
// store surely writes there, with all rounds of the loops that only it is in, has been written before the load reads in
// any round, if the outermost of these loops (else the store) is come by on each way to the load. So a temporary that
// is filled anew in each round of a loop (a row with its padding, a column) is one, as long as it is the same bytes:
// those of the first round.
//
// Not looked at: the rounds one after the other. Of a buffer that each round uses another part of (a maximum that is
// kept in the output), only the first round's part counts as read back.
#include "cfront/read_back.h"

#include <algorithm>
#include <map>

#include <llvm/IR/InstIterator.h>

#include "cfront/memory_operations.h"
#include "cfront/path_conditions.h"

namespace metamorph::cfront {
namespace {

class ReadBack {
public:
    ReadBack(const StepCode& step, const AccessesOf& accesses_of) : m_step(step), m_accesses_of(accesses_of) {}

    void find(std::vector<Access>& accesses) {
        if (!gather()) {
            return;
        }
        for (Access& access : accesses) {
            IntervalSet before;  // that may be read before it is written
            for (const Load& load : m_loads) {
                before.add(left_to_read(load, access));
            }
            access.read_back = access.reads;
            access.read_back.subtract(before);
        }
    }

private:
    struct Load {
        const llvm::Instruction* instruction = nullptr;
        std::vector<Access> accesses;
    };

    struct Store {
        MemoryOperation operation;
        std::vector<const llvm::Loop*> loops;                      // around it that may go round, outermost first
        std::map<std::size_t, std::vector<Access>> accesses = {};  // by how many of the loops are in their first round
    };

    bool gather() {
        for (llvm::Instruction& instruction : llvm::instructions(m_step.code)) {
            if (!m_step.dominators.isReachableFromEntry(instruction.getParent())) {
                continue;
            }
            const auto operations = operations_of(instruction, m_step.code.getParent()->getDataLayout());
            if (!operations) {
                return false;
            }
            for (const MemoryOperation& operation : *operations) {
                if (operation.kind == AccessKind::read) {
                    m_loads.push_back({&instruction, m_accesses_of(operation, {})});
                } else {
                    m_stores.push_back({operation, loops_around(instruction)});
                }
            }
        }
        return true;
    }

    std::vector<const llvm::Loop*> loops_around(const llvm::Instruction& instruction) const {
        std::vector<const llvm::Loop*> around;
        const Path path = path_to(instruction.getParent(), m_step.loops, m_step.dominators, m_step.evolution);
        for (const LoopTrips& trips : path.loops) {
            const bool leaves_first =
                trips.extra == 0 && m_step.loops.getLoopFor(trips.test->getParent()) == trips.loop;
            if (!trips.max || *trips.max > (leaves_first ? 1 : 0)) {
                around.push_back(trips.loop);
            }
        }
        return around;
    }

    // What the store surely writes before the load reads, in whatever round.
    const std::vector<Access>* surely_before(Store& store, const llvm::Instruction& load) {
        const auto is_of_both = [&](const llvm::Loop* loop) { return loop->contains(load.getParent()); };
        const auto own = std::find_if_not(store.loops.begin(), store.loops.end(), is_of_both);
        const llvm::Instruction* instruction = store.operation.instruction;
        // A loop is entered once at most in a round of the one around it: behind it, it has ended.
        const bool precedes = own == store.loops.end()
                                  ? instruction != &load && m_step.dominators.dominates(instruction, &load)
                                  : m_step.dominators.dominates((*own)->getHeader(), load.getParent());
        if (!precedes) {
            return nullptr;
        }
        const auto shared = static_cast<std::size_t>(own - store.loops.begin());
        auto found = store.accesses.find(shared);
        if (found == store.accesses.end()) {
            found = store.accesses.emplace(shared, m_accesses_of(store.operation, {store.loops.begin(), own})).first;
        }
        return &found->second;
    }

    // What a load reads of the access's object through its argument that no store has surely written before.
    IntervalSet left_to_read(const Load& load, const Access& access) {
        IntervalSet left;
        for (const Access& read : load.accesses) {
            if (read.object == access.object && read.argument == access.argument) {
                left.add(read.reads);
            }
        }
        for (Store& store : m_stores) {
            const std::vector<Access>* before = left.empty() ? nullptr : surely_before(store, *load.instruction);
            for (const Access& written : before != nullptr ? *before : std::vector<Access>()) {
                if (written.object == access.object) {
                    left.subtract(written.must_writes);
                }
            }
        }
        return left;
    }

    const StepCode& m_step;
    const AccessesOf& m_accesses_of;
    std::vector<Load> m_loads;
    std::vector<Store> m_stores;
};

}  // namespace

void find_read_back(const StepCode& step, const AccessesOf& accesses_of, std::vector<Access>& accesses) {
    std::map<ObjectId, IntervalSet> reads, writes;
    for (const Access& access : accesses) {
        reads[access.object].add(access.reads);
        writes[access.object].add(access.must_writes);
    }
    // Only where something is both read and surely written is the order asked for: that costs a second walk.
    if (std::any_of(reads.begin(), reads.end(),
                    [&](const auto& of) { return of.second.intersects(writes[of.first]); })) {
        ReadBack(step, accesses_of).find(accesses);
    }
}

}  // namespace metamorph::cfront

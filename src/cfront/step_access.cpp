// Every instruction of the step's code that touches memory is enumerated (access_walk.h). Where that fails, scalar
// evolution's range of its offset serves, or the object's extent; where not even the object is known, everything
// counts.
//
// Assumed is that a store stays within its object (anything else is undefined behaviour) and that different parameters
// of the entry do not overlap. Arguments of one call may point into the same object: nothing is assumed there.
#include "cfront/step_access.h"

#include <algorithm>
#include <map>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>

#include "cfront/access_walk.h"
#include "cfront/byte_map.h"
#include "cfront/exactness.h"
#include "cfront/memory_effects.h"
#include "cfront/memory_operations.h"
#include "cfront/outer_loop.h"
#include "cfront/path_conditions.h"
#include "cfront/program.h"
#include "cfront/read_back.h"
#include "cfront/step_function.h"
#include "cfront/unrolling.h"

namespace metamorph::cfront {
namespace {

struct Place {
    ObjectId object = -1;
    int argument = -1;
    std::int64_t offset = 0;
};

class StepAnalysis {
public:
    StepAnalysis(StepFunction& step, const std::vector<BoundArgument>& arguments, EntryObjects& objects)
        : m_step(step),
          m_arguments(arguments),
          m_objects(objects),
          m_library(llvm::Triple(step.code->getParent()->getTargetTriple())),
          m_library_info(m_library),
          m_assumptions(*step.code),
          m_dominators(*step.code),
          m_loops(m_dominators),
          m_evolution(*step.code, m_library_info, m_assumptions, m_dominators, m_loops),
          m_evaluator(m_evolution, step.code->getParent()->getDataLayout()) {}

    std::vector<Access> run() {
        if (!m_step.opaque.empty()) {
            touch_everything(AccessKind::read, m_step.opaque.front().print());
            touch_everything(AccessKind::write, m_step.opaque.front().print());
            return collect();
        }
        for (llvm::Instruction& instruction : llvm::instructions(*m_step.code)) {
            if (m_dominators.isReachableFromEntry(instruction.getParent())) {
                visit(instruction);
            }
        }
        std::vector<Access> accesses = collect();
        const AccessesOf accesses_of = [this](const MemoryOperation& operation,
                                              const std::vector<const llvm::Loop*>& first_round) {
            m_bytes.clear();
            analyse(operation, first_round);
            return collect();
        };
        find_read_back(step_code(), accesses_of, accesses);
        return accesses;
    }

    OuterLoop outer_loop(const std::vector<Access>& accesses) {
        if (!m_step.opaque.empty()) {
            return {0, "", m_step.opaque.front().print()};
        }
        const ObjectAt object_at = [this](const llvm::Value* base) -> std::optional<std::pair<ObjectId, std::int64_t>> {
            const std::optional<Place> place = place_at(base);
            return place ? std::optional(std::pair(place->object, place->offset)) : std::nullopt;
        };
        return find_outer_loop(step_code(), object_at, accesses);
    }

    // Where an address that the step got, or that is of memory from malloc, goes into memory that is not its own.
    using IsAddress = bool (*)(const llvm::Value* base);
    static bool is_given(const llvm::Value* base) { return llvm::isa<llvm::Argument>(base); }
    static bool is_heap(const llvm::Value* base) { return llvm::isNoAliasCall(base); }
    std::string escape(IsAddress is_address) {
        for (llvm::Instruction& instruction : llvm::instructions(*m_step.code)) {
            if (!m_dominators.isReachableFromEntry(instruction.getParent())) {
                continue;
            }
            if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
                store && holds_address(store->getValueOperand(), is_address) && !is_own(store->getPointerOperand())) {
                return place_of(instruction);
            }
            if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction);
                copy && copies_addresses(copy->getSource(), is_address) && !is_own(copy->getDest())) {
                return place_of(instruction);
            }
        }
        return "";
    }

private:
    StepCode step_code() { return {*m_step.code, m_loops, m_dominators, m_evolution, m_evaluator}; }

    static bool is_own(const llvm::Value* address) {
        llvm::SmallVector<const llvm::Value*, 4> bases;
        llvm::getUnderlyingObjects(address, bases, nullptr, 0);
        return llvm::all_of(bases, [](const llvm::Value* base) { return llvm::isa<llvm::AllocaInst>(base); });
    }

    static bool holds_address(const llvm::Value* value, IsAddress is_address) {
        if (const auto* number = llvm::dyn_cast<llvm::PtrToIntOperator>(value)) {
            value = number->getPointerOperand();
        }
        if (!value->getType()->isPointerTy()) {
            return false;
        }
        llvm::SmallVector<const llvm::Value*, 4> bases;
        llvm::getUnderlyingObjects(value, bases, nullptr, 0);
        return llvm::any_of(bases, is_address);
    }

    // Whether the step has stored an address into this memory of its own.
    bool copies_addresses(const llvm::Value* source, IsAddress is_address) {
        const llvm::Value* memory = llvm::getUnderlyingObject(source, 0);
        return llvm::isa<llvm::AllocaInst>(memory) &&
               llvm::any_of(llvm::instructions(*m_step.code), [&](const llvm::Instruction& instruction) {
                   const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
                   return store && holds_address(store->getValueOperand(), is_address) &&
                          llvm::getUnderlyingObject(store->getPointerOperand(), 0) == memory;
               });
    }

    std::vector<Access> collect() {
        std::vector<Access> accesses;
        for (const auto& [object, bytes] : m_bytes) {
            for (Access& access : bytes.accesses(object)) {
                accesses.push_back(std::move(access));
            }
        }
        return accesses;
    }

    ByteMap& bytes_of(ObjectId object) {
        return m_bytes.try_emplace(object, ByteMap(m_objects[object].bytes)).first->second;
    }

    std::optional<Place> place_at(const llvm::Value* base) {
        if (const auto* parameter = llvm::dyn_cast<llvm::Argument>(base)) {
            const int argument = m_step.argument_of[parameter->getArgNo()];
            const BoundArgument& bound = m_arguments[static_cast<std::size_t>(argument)];
            return bound.object >= 0 ? std::optional(Place{bound.object, argument, bound.offset}) : std::nullopt;
        }
        const std::optional<ObjectId> object = m_objects.of(base);
        return object ? std::optional(Place{*object, -1, 0}) : std::nullopt;
    }

    void touch_everything(AccessKind kind, const std::string& reason) {
        std::vector<std::pair<ObjectId, int>> all;
        for (const ObjectId object : m_objects.everything()) {
            all.emplace_back(object, -1);
        }
        for (std::size_t i = 0; i < m_arguments.size(); ++i) {
            if (m_arguments[i].object >= 0 && !m_objects[m_arguments[i].object].is_const) {
                all.emplace_back(m_arguments[i].object, static_cast<int>(i));
            }
        }
        for (const auto& [object, argument] : all) {
            bytes_of(object).touch_range(argument, kind, 0, k_unknown_extent);
            bytes_of(object).add_reason(argument, kind, reason);
        }
    }

    void visit(llvm::Instruction& instruction) {
        const auto operations = operations_of(instruction, m_step.code->getParent()->getDataLayout());
        if (!operations) {
            touch_everything(AccessKind::read, place_of(instruction) + ": not understood");
            touch_everything(AccessKind::write, place_of(instruction) + ": not understood");
            return;
        }
        for (const MemoryOperation& operation : *operations) {
            analyse(operation);
        }
    }

    // `first_round`: loops of which only this one is looked at.
    void analyse(const MemoryOperation& operation, const std::vector<const llvm::Loop*>& first_round = {}) {
        llvm::SmallVector<const llvm::Value*, 4> bases;
        llvm::getUnderlyingObjects(operation.address, bases, nullptr, 0);
        if (std::all_of(bases.begin(), bases.end(), is_no_object)) {
            return;
        }
        const std::string what =
            (operation.kind == AccessKind::read ? "load at " : "store at ") + place_of(*operation.instruction);
        std::map<std::pair<ObjectId, int>, bool> touched;
        bool is_known = true;
        const TouchSink sink = [&](const llvm::Value* base, const Touch& touch) {
            if (is_no_object(base)) {
                return;
            }
            const std::optional<Place> place = place_at(base);
            is_known = is_known && place;
            if (place) {
                Touch moved = touch;
                moved.offset += place->offset;
                bytes_of(place->object).touch(place->argument, moved);
                touched[{place->object, place->argument}] = true;
            }
        };
        Path path = path_to(operation.instruction->getParent(), m_loops, m_dominators, m_evolution);
        for (const llvm::Loop* loop : first_round) {
            std::erase_if(path.loops, [loop](const LoopTrips& trips) { return trips.loop == loop; });
            m_evaluator.bind(loop, 0);
        }
        const std::optional<WalkResult> result = walk_access(operation, path, m_evaluator, m_evolution, m_loops, sink);
        for (const llvm::Loop* loop : first_round) {
            m_evaluator.unbind(loop);
        }
        if (!result || !is_known) {
            touch_bounded(operation, bases, what);
        } else if (result->is_guarded) {
            for (const auto& [key, unused] : touched) {
                bytes_of(key.first).add_reason(key.second, operation.kind, what + " depends on data");
            }
        }
    }

    // What is left when an access cannot be enumerated: bounds of its offset.
    void touch_bounded(const MemoryOperation& operation, const llvm::SmallVectorImpl<const llvm::Value*>& bases,
                       const std::string& what) {
        for (const llvm::Value* base : bases) {
            if (is_no_object(base)) {
                continue;
            }
            const std::optional<Place> place = place_at(base);
            if (!place) {
                touch_everything(operation.kind, what + " goes through a pointer of unknown origin");
                continue;
            }
            Interval range = bounds(operation, base);
            range.begin = std::max<std::int64_t>(range.begin + place->offset, 0);
            range.end = std::min(range.end + place->offset, k_unknown_extent);
            ByteMap& bytes = bytes_of(place->object);
            bytes.touch_range(place->argument, operation.kind, range.begin, range.end);
            bytes.add_reason(place->argument, operation.kind, what + ": its address is known only within bounds");
        }
    }

    Interval bounds(const MemoryOperation& operation, const llvm::Value* base) {
        const Interval anywhere{-k_unknown_extent, k_unknown_extent};
        const llvm::Loop* loop = m_loops.getLoopFor(operation.instruction->getParent());
        const llvm::SCEV* address = m_evolution.getSCEVAtScope(operation.address, loop);
        const auto* root = llvm::dyn_cast<llvm::SCEVUnknown>(m_evolution.getPointerBase(address));
        if (!root || root->getValue() != base) {
            return anywhere;
        }
        const llvm::SCEV* offset = m_evolution.removePointerBase(address);
        if (loop) {
            offset = m_evolution.applyLoopGuards(offset, loop);
        }
        const llvm::ConstantRange range = m_evolution.getSignedRange(offset);
        const auto clamped = [](const llvm::APInt& v) {
            return std::clamp(v.getSExtValue(), -k_unknown_extent, k_unknown_extent);
        };
        Interval found{clamped(range.getSignedMin()), clamped(range.getSignedMax())};
        std::int64_t size = operation.size;
        if (operation.length) {
            const auto* length = llvm::dyn_cast<llvm::ConstantInt>(operation.length);
            size = length && length->getValue().getActiveBits() < 40 ? static_cast<std::int64_t>(length->getZExtValue())
                                                                     : k_unknown_extent;
        }
        found.end = std::min(found.end + size, k_unknown_extent);
        return found;
    }

    StepFunction& m_step;
    const std::vector<BoundArgument>& m_arguments;
    EntryObjects& m_objects;
    llvm::TargetLibraryInfoImpl m_library;
    llvm::TargetLibraryInfo m_library_info;
    llvm::AssumptionCache m_assumptions;
    llvm::DominatorTree m_dominators;
    llvm::LoopInfo m_loops;
    llvm::ScalarEvolution m_evolution;
    Evaluator m_evaluator;
    std::map<ObjectId, ByteMap> m_bytes;
};

}  // namespace

StepFindings analyse_step(llvm::Module& module, const llvm::CallBase& call, const std::vector<BoundArgument>& arguments,
                          EntryObjects& objects, OuterLoops outer_loops) {
    std::vector<llvm::Value*> constants;
    std::vector<bool> is_somewhere;  // a parameter of the entry without extent may be null
    for (const BoundArgument& argument : arguments) {
        constants.push_back(argument.constant);
        is_somewhere.push_back(argument.object >= 0 && objects[argument.object].bytes.has_value());
    }
    StepFunction step = make_step_function(module, call, constants, is_somewhere);
    StepFindings found;
    {
        StepAnalysis analysis(step, arguments, objects);
        found.accesses = analysis.run();
        found.escape = analysis.escape(StepAnalysis::is_given);
        found.heap_escape = analysis.escape(StepAnalysis::is_heap);
        found.opaque = step.opaque;
        if (outer_loops == OuterLoops::found) {
            found.outer_loop = analysis.outer_loop(found.accesses);
        }
    }
    if (step.opaque.empty() && !is_exact(found.accesses) && unroll_known_loops(*step.code)) {
        std::vector<Access> unrolled = StepAnalysis(step, arguments, objects).run();
        if (is_better(unrolled, found.accesses)) {
            found.accesses = std::move(unrolled);
        }
    }
    step.code->eraseFromParent();
    return found;
}

}  // namespace metamorph::cfront

// Enumerates the iterations that matter. Loops on which neither the address, nor a condition, nor another loop's trip
// count depends are not enumerated: they only say whether the access runs at all and whether it repeats. Of the others,
// the innermost one is left open (affine_value.h), so that a row of a tensor costs one evaluation; where that does not
// work, it is enumerated, too. Loops that are not enumerated have no iteration in the evaluator, so that a value which
// depends on one after all cannot be evaluated, instead of being evaluated wrongly.
//
// A convolution reads its input in about (output rows × columns × kernel rows × columns) rows: thousands, not millions.
#include "cfront/access_walk.h"

#include <algorithm>
#include <set>

namespace metamorph::cfront {
namespace {

constexpr std::int64_t k_evaluations_max = 1'000'000;
constexpr std::int64_t k_tested_trips_max = std::int64_t{1} << 24;
constexpr std::int64_t k_pieces_max = std::int64_t{1} << 24;  // at one evaluation

struct State {
    bool is_certain = true;
    bool is_repeated = false;
};

class Walk {
public:
    Walk(const MemoryOperation& operation, const Path& path, Evaluator& evaluator, llvm::ScalarEvolution& evolution,
         const llvm::LoopInfo& loops, const TouchSink& sink)
        : m_operation(operation), m_path(path), m_evaluator(evaluator), m_sink(sink) {
        m_address = evolution.getSCEVAtScope(operation.address, loops.getLoopFor(operation.instruction->getParent()));
        find_relevant();
    }

    std::optional<WalkResult> run() {
        m_evaluator.close();
        const bool is_done = walk(0, State{m_path.can_be_proved && m_operation.can_be_certain, false});
        m_evaluator.close();
        for (const LoopTrips& trips : m_path.loops) {
            m_evaluator.unbind(trips.loop);
        }
        return is_done ? std::optional(m_result) : std::nullopt;
    }

private:
    void find_relevant() {
        std::set<const llvm::Loop*> relevant;
        m_evaluator.loops_of(m_address, relevant);
        m_evaluator.loops_of(m_operation.address, relevant);
        if (m_operation.length) {
            m_evaluator.loops_of(m_operation.length, relevant);
        }
        for (const LoopTrips& trips : m_path.loops) {
            if (trips.backedges) {
                m_evaluator.loops_of(trips.backedges, relevant);
            } else if (trips.test) {
                m_evaluator.loops_of(trips.test->getCondition(), relevant);
            }
        }
        for (const PathCondition& condition : m_path.conditions) {
            std::set<const llvm::Loop*> loops;
            m_evaluator.loops_of(condition.branch->getCondition(), loops);
            relevant.insert(loops.begin(), loops.end());
            std::size_t level = 0;
            for (std::size_t i = 0; i < m_path.loops.size(); ++i) {
                level = loops.contains(m_path.loops[i].loop) ? i + 1 : level;
            }
            m_levels.push_back(level);
        }
        find_conditions_by_data();
        for (std::size_t i = 0; i < m_path.loops.size(); ++i) {
            m_is_relevant.push_back(relevant.contains(m_path.loops[i].loop));
            if (m_is_relevant.back()) {
                m_open_level = static_cast<int>(i);
            }
        }
    }

    void find_conditions_by_data() {
        for (const LoopTrips& trips : m_path.loops) {
            m_evaluator.bind(trips.loop, 0);
        }
        for (const PathCondition& condition : m_path.conditions) {
            const Truth truth = m_evaluator.condition(condition.branch->getCondition());
            m_is_by_data.push_back(truth.must.begin != truth.can.begin || truth.must.end != truth.can.end);
        }
        for (const LoopTrips& trips : m_path.loops) {
            m_evaluator.unbind(trips.loop);
        }
    }

    // The conditions that are settled once `level` loops have their iterations. Narrows where the access can and must
    // run.
    void apply_conditions(std::size_t level, Range& can, Range& must, bool is_open) {
        for (std::size_t i = 0; i < m_path.conditions.size(); ++i) {
            const PathCondition& condition = m_path.conditions[i];
            if (m_levels[i] != level || can.empty()) {
                continue;
            }
            Truth truth = m_evaluator.condition(condition.branch->getCondition());
            if (!condition.is_taken) {
                truth = m_evaluator.negated(truth);
            }
            if (condition.is_necessary) {
                can = {std::max(can.begin, truth.can.begin), std::min(can.end, truth.can.end)};
            }
            if (condition.is_sufficient) {
                must = {std::max(must.begin, truth.must.begin), std::min(must.end, truth.must.end)};
            }
            const bool counts = condition.is_sufficient || !m_path.can_be_proved;
            if (counts && (truth.must.begin != truth.can.begin || truth.must.end != truth.can.end)) {
                m_result.is_guarded = m_result.is_guarded || m_is_by_data[i] || !is_open;
                m_is_unclear = m_is_unclear || !m_is_by_data[i];
            }
        }
    }

    bool walk(std::size_t level, State state) {
        if (++m_evaluations > k_evaluations_max) {
            return false;
        }
        Range can = m_evaluator.all();
        Range must = can;
        apply_conditions(level, can, must, false);
        if (can.empty()) {
            return true;
        }
        state.is_certain = state.is_certain && !must.empty();
        if (level == m_path.loops.size()) {
            return touch({0, 1}, state.is_certain ? Range{0, 1} : Range{0, 0}, state);
        }

        const LoopTrips& loop = m_path.loops[level];
        std::optional<std::int64_t> trips = trips_of(loop);
        if (!trips) {
            state.is_certain = false;
            m_result.is_guarded = true;
            if (loop.max) {
                trips = *loop.max + 1;
            } else if (!m_is_relevant[level]) {
                trips = 2;  // some number of times, always at the same place
            } else {
                return false;
            }
        }
        if (*trips <= 0) {
            return true;
        }
        if (!m_is_relevant[level]) {
            state.is_repeated = state.is_repeated || *trips > 1;
            return walk(level + 1, state);
        }
        if (static_cast<int>(level) == m_open_level) {
            m_evaluator.open(loop.loop, *trips);
            const std::optional<bool> done = walk_open(level, *trips, state);
            m_evaluator.close();
            if (done) {
                return *done;
            }
        }
        if (*trips > k_evaluations_max - m_evaluations) {
            return false;
        }
        for (std::int64_t i = 0; i < *trips; ++i) {
            m_evaluator.bind(loop.loop, i);
            if (!walk(level + 1, state)) {
                return false;
            }
        }
        m_evaluator.unbind(loop.loop);
        return true;
    }

    // All iterations of the open loop at once; nothing is returned if that does not work and nothing was reported.
    std::optional<bool> walk_open(std::size_t level, std::int64_t trips, State state) {
        Range can{0, trips};
        Range must{0, trips};
        for (std::size_t inner = level + 1; inner <= m_path.loops.size(); ++inner) {
            m_is_unclear = false;
            apply_conditions(inner, can, must, true);
            if (m_is_unclear) {
                return std::nullopt;  // single iterations are clearer
            }
            if (can.empty()) {
                return true;
            }
            if (inner == m_path.loops.size()) {
                break;
            }
            const std::optional<std::int64_t> inner_trips = trips_of(m_path.loops[inner]);
            if (!inner_trips) {
                return std::nullopt;
            }
            if (*inner_trips <= 0) {
                return true;
            }
            state.is_repeated = state.is_repeated || *inner_trips > 1;
        }
        must = {std::max(must.begin, can.begin), std::min(must.end, can.end)};
        return touch(can, state.is_certain ? must : Range{0, 0}, state) ? std::optional(true) : std::nullopt;
    }

    // How often the access runs in this loop; nothing if that is not known exactly, or differs within the open loop.
    std::optional<std::int64_t> trips_of(const LoopTrips& loop) {
        const std::optional<std::int64_t> backedges = loop.backedges ? known_backedges(loop) : tested_backedges(loop);
        return backedges ? std::optional(*backedges + loop.extra) : std::nullopt;
    }

    std::optional<std::int64_t> known_backedges(const LoopTrips& loop) {
        const std::optional<Affine> raw = m_evaluator.value(loop.backedges);
        const std::optional<Affine> backedges =
            raw ? m_evaluator.exact(*raw, Signedness::unsigned_value) : std::nullopt;
        const bool is_known = backedges && !backedges->base && backedges->step == 0;
        return is_known ? std::optional(backedges->start) : std::nullopt;
    }

    // The first iteration in which the loop's only exit test says that it ends.
    std::optional<std::int64_t> tested_backedges(const LoopTrips& loop) {
        if (!loop.test || m_evaluator.is_open()) {
            return std::nullopt;
        }
        m_evaluator.open(loop.loop, k_tested_trips_max);
        Truth stays = m_evaluator.condition(loop.test->getCondition());
        stays = loop.stays_if_true ? stays : m_evaluator.negated(stays);
        m_evaluator.close();
        const std::int64_t first_end = stays.can.begin > 0 || stays.can.empty() ? 0 : stays.can.end;
        const bool is_certain = first_end == 0 || (stays.must.begin == 0 && stays.must.end == first_end);
        return is_certain && first_end < k_tested_trips_max ? std::optional(first_end) : std::nullopt;
    }

    bool touch(const Range& can, const Range& must, const State& state) {
        std::optional<Affine> address = m_evaluator.value(m_address);
        if (!address) {
            address = m_evaluator.value(m_operation.address);
        }
        address = address ? m_evaluator.exact(*address, Signedness::signed_value) : std::nullopt;
        if (!address || !address->base) {
            return false;
        }
        std::int64_t size = m_operation.size;
        if (m_operation.length) {
            const std::optional<Affine> raw = m_evaluator.value(m_operation.length);
            const std::optional<Affine> length =
                raw ? m_evaluator.exact(*raw, Signedness::unsigned_value) : std::nullopt;
            if (!length || length->step != 0) {
                return false;
            }
            size = length->start;
        }
        Touch touch{m_operation.kind,
                    address->start + address->step * can.begin,
                    address->step,
                    can.end - can.begin,
                    size,
                    must.begin - can.begin,
                    must.end - can.begin,
                    state.is_repeated};
        if (must.empty()) {
            touch.certain_begin = touch.certain_end = 0;
        }
        const bool is_dense = address->step == size || address->step == -size || address->step == 0;
        const std::int64_t pieces = is_dense ? 1 : touch.count;
        if (pieces > k_pieces_max) {
            return false;
        }
        m_evaluations += pieces / 16;
        m_sink(address->base, touch);
        return true;
    }

    const MemoryOperation& m_operation;
    const Path& m_path;
    Evaluator& m_evaluator;
    const TouchSink& m_sink;
    const llvm::SCEV* m_address = nullptr;
    std::vector<bool> m_is_relevant;    // by loop of the path
    std::vector<std::size_t> m_levels;  // by condition of the path: how many loops must have their iterations
    std::vector<bool> m_is_by_data;     // by condition of the path: not even clear for single iterations
    bool m_is_unclear = false;          // a condition was, for all of the open loop at once
    int m_open_level = -1;
    std::int64_t m_evaluations = 0;
    WalkResult m_result;
};

}  // namespace

std::optional<WalkResult> walk_access(const MemoryOperation& operation, const Path& path, Evaluator& evaluator,
                                      llvm::ScalarEvolution& evolution, const llvm::LoopInfo& loops,
                                      const TouchSink& sink) {
    return Walk(operation, path, evaluator, evolution, loops, sink).run();
}

}  // namespace metamorph::cfront

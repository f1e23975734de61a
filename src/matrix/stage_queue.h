// Which stage of which run may start next: one pool of slots (a slot is a process that may run) and of memory for the
// stages of all runs. No threads, no clock: stage_pool.h drives it, tests draw the order of ends from a seed.
//
// There is no barrier: a run's next stage waits for its own last one alone. Of what may start, the furthest stage is
// taken first, then the earliest run: results come early, and few runs are half done. A stage gets an equal share of
// the free slots, so that the last run of all still uses the whole machine; what comes out must not depend on it. A
// stage that does not fit into the free memory lets k_patience others pass, then nothing starts before it. One that is
// larger than the limit runs alone. Of stages that share something (a library) the first is started before all others,
// and none beside it until one has ended well: those would hold slots only to wait for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::matrix {

struct StageCost {
    int slots_max = 1;            // more are of no use to it
    std::int64_t memory_mib = 0;  // with one slot
    std::int64_t slot_mib = 0;    // for each further slot
    std::string shares;  // what the first of all with this text may have to make for the others; empty: nothing
};

struct PoolLimits {
    int slots = 1;
    std::int64_t memory_mib = 1;
};

class StageQueue {
public:
    struct Started {
        std::size_t run = 0, stage = 0;
        int slots = 1;
    };
    static constexpr int k_patience = 8;

    explicit StageQueue(const PoolLimits& limits) : m_limits(limits) {}

    // A run whose stages before `first` are done. Its number: 0, 1, … in order of the calls.
    std::size_t add(std::vector<StageCost> stages, std::size_t first = 0);

    // The next to start, which then counts as running; nothing: wait for one to end.
    std::optional<Started> next();

    // It has ended. `goes_on` false: the run has its result already, its further stages are not done.
    void ended(const Started& started, bool goes_on);

    bool is_done() const { return m_waiting == 0 && m_running == 0; }
    int running() const { return m_running; }
    int slots_used() const { return m_slots; }
    std::int64_t memory_used() const { return m_memory; }

private:
    struct Run {
        std::vector<StageCost> stages;
        std::size_t stage = 0;  // the next, or the running one
        bool is_running = false;
        int passed = 0;
    };
    bool is_waiting(const Run& run) const { return !run.is_running && run.stage < run.stages.size(); }
    bool waits_for_another(const StageCost& cost) const;
    std::int64_t memory_of(const StageCost& cost, int slots) const;
    int slots_for(const StageCost& cost) const;  // 0: it does not fit now

    enum class Shared { nobody, one, made };  // who makes it

    PoolLimits m_limits;
    std::map<std::string, Shared> m_shared;
    std::vector<Run> m_runs;
    int m_waiting = 0, m_running = 0, m_slots = 0;
    std::int64_t m_memory = 0;
};

}  // namespace metamorph::matrix

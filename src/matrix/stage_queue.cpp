#include "matrix/stage_queue.h"

#include <algorithm>

namespace metamorph::matrix {

std::size_t StageQueue::add(std::vector<StageCost> stages, std::size_t first) {
    for (std::size_t i = first; i < stages.size(); ++i) {
        if (!stages[i].shares.empty()) {
            m_shared.emplace(stages[i].shares, Shared::nobody);
        }
    }
    m_runs.push_back({std::move(stages), first, false, 0});
    m_waiting += is_waiting(m_runs.back()) ? 1 : 0;
    return m_runs.size() - 1;
}

bool StageQueue::waits_for_another(const StageCost& cost) const {
    return !cost.shares.empty() && m_shared.at(cost.shares) == Shared::one;
}

std::int64_t StageQueue::memory_of(const StageCost& cost, int slots) const {
    return cost.memory_mib + cost.slot_mib * (slots - 1);
}

int StageQueue::slots_for(const StageCost& cost) const {
    const int free = m_limits.slots - m_slots;
    if (free <= 0) {
        return 0;
    }
    int slots = std::clamp(free / std::max(m_waiting, 1), 1, std::max(cost.slots_max, 1));
    while (slots > 1 && m_memory + memory_of(cost, slots) > m_limits.memory_mib) {
        --slots;
    }
    const bool fits = m_memory + memory_of(cost, slots) <= m_limits.memory_mib;
    return fits || m_running == 0 ? slots : 0;
}

std::optional<StageQueue::Started> StageQueue::next() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        if (is_waiting(m_runs[i]) && !waits_for_another(m_runs[i].stages[m_runs[i].stage])) {
            order.push_back(i);
        }
    }
    const auto makes = [&](const Run& run) {
        const std::string& shares = run.stages[run.stage].shares;
        return !shares.empty() && m_shared.at(shares) == Shared::nobody;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const bool is_a_due = m_runs[a].passed >= k_patience, is_b_due = m_runs[b].passed >= k_patience;
        if (is_a_due != is_b_due) {
            return is_a_due;
        }
        const bool makes_a = makes(m_runs[a]), makes_b = makes(m_runs[b]);
        return makes_a != makes_b ? makes_a : m_runs[a].stage > m_runs[b].stage;
    });
    std::vector<std::size_t> passed;
    for (const std::size_t index : order) {
        Run& run = m_runs[index];
        const StageCost& cost = run.stages[run.stage];
        const int slots = slots_for(cost);
        if (slots > 0) {
            run.is_running = true;
            if (makes(run)) {
                m_shared[cost.shares] = Shared::one;
            }
            run.passed = 0;
            for (const std::size_t other : passed) {
                ++m_runs[other].passed;
            }
            --m_waiting;
            ++m_running;
            m_slots += slots;
            m_memory += memory_of(cost, slots);
            return Started{index, run.stage, slots};
        }
        if (m_slots >= m_limits.slots || run.passed >= k_patience) {
            return {};
        }
        passed.push_back(index);
    }
    return {};
}

void StageQueue::ended(const Started& started, bool goes_on) {
    Run& run = m_runs[started.run];
    --m_running;
    m_slots -= started.slots;
    m_memory -= memory_of(run.stages[run.stage], started.slots);
    if (const std::string& shares = run.stages[run.stage].shares; !shares.empty()) {
        Shared& shared = m_shared[shares];
        shared = goes_on || shared == Shared::made ? Shared::made : Shared::nobody;
    }
    run.is_running = false;
    run.stage = goes_on ? run.stage + 1 : run.stages.size();
    m_waiting += is_waiting(run) ? 1 : 0;
}

}  // namespace metamorph::matrix

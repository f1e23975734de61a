// Arena plan: offsets for the tensors that are alive at the same time, 16-byte aligned.
//
// Each storage group is an interval of operators (from its producer to its last reader, both inclusive: an operator's
// result never overlaps its inputs) and a size. Placing them is dynamic storage allocation, NP-hard; here: place one
// after another at the lowest offset that is free during its whole life, in several orders (size, birth, death, length
// of life), then in orders perturbed by a fixed pseudo-random sequence, and keep the best. The search ends early when
// the lower bound, the most bytes alive at one operator, is reached; real networks reach it at once. An exact search
// was rejected: it buys nothing on such inputs and its time is not bounded.
#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "generate/generator.h"
#include "generate/storage.h"

namespace metamorph::generate {
namespace {

constexpr std::int64_t k_alignment = 16;
constexpr int k_perturbed_orders = 200;
constexpr std::size_t k_perturbed_slots_max = 256;

std::int64_t aligned(std::int64_t bytes) {
    return (bytes + k_alignment - 1) / k_alignment * k_alignment;
}

bool alive_together(const ArenaSlot& a, const ArenaSlot& b) {
    return a.first_operator <= b.last_operator && b.first_operator <= a.last_operator;
}

// Gives the slots offsets in the order given; returns the arena's size.
std::int64_t place(std::vector<ArenaSlot>& slots, const std::vector<std::size_t>& order) {
    std::int64_t total = 0;
    std::vector<std::size_t> placed;  // sorted by offset
    for (const std::size_t s : order) {
        std::int64_t offset = 0;
        for (const std::size_t p : placed) {
            if (!alive_together(slots[s], slots[p])) {
                continue;
            }
            if (slots[p].offset >= offset + slots[s].bytes) {
                break;
            }
            offset = std::max(offset, aligned(slots[p].offset + slots[p].bytes));
        }
        slots[s].offset = offset;
        total = std::max(total, aligned(offset + slots[s].bytes));
        const auto position = std::upper_bound(placed.begin(), placed.end(), s, [&](std::size_t a, std::size_t b) {
            return slots[a].offset < slots[b].offset;
        });
        placed.insert(position, s);
    }
    return total;
}

std::vector<ArenaSlot> find_slots(const graph::Graph& graph) {
    const Storage storage = assign_homes(graph);
    std::vector<ArenaSlot> slots;
    std::vector<int> slot_of(graph.tensors.size(), -1);  // by storage group
    const auto group_slot = [&](graph::TensorId tensor) -> int& {
        return slot_of[static_cast<std::size_t>(storage.homes[static_cast<std::size_t>(tensor)].group)];
    };
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const int index = static_cast<int>(i);
        for (const graph::TensorId input : graph.operators[i].inputs) {
            if (input >= 0 && group_slot(input) >= 0) {
                slots[static_cast<std::size_t>(group_slot(input))].last_operator = index;
            }
        }
        for (const graph::TensorId output : graph.operators[i].outputs) {
            const bool in_arena = storage.homes[static_cast<std::size_t>(output)].kind == Home::Kind::arena;
            if (in_arena && group_slot(output) < 0) {
                group_slot(output) = static_cast<int>(slots.size());
                slots.push_back({output, 0, graph.tensors[static_cast<std::size_t>(output)].bytes(), index, index});
            }
        }
    }
    return slots;
}

std::int64_t most_bytes_alive(const std::vector<ArenaSlot>& slots, std::size_t operators) {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < operators; ++i) {
        std::int64_t alive = 0;
        for (const ArenaSlot& slot : slots) {
            if (slot.first_operator <= static_cast<int>(i) && static_cast<int>(i) <= slot.last_operator) {
                alive += aligned(slot.bytes);
            }
        }
        most = std::max(most, alive);
    }
    return most;
}

}  // namespace

ArenaPlan plan_arena(const graph::Graph& graph) {
    ArenaPlan plan;
    plan.slots = find_slots(graph);
    plan.bytes_lower_bound = most_bytes_alive(plan.slots, graph.operators.size());
    if (plan.slots.empty()) {
        return plan;
    }
    std::vector<ArenaSlot> trial = plan.slots;
    plan.bytes = -1;
    const auto attempt = [&](const std::vector<std::size_t>& order) {
        const std::int64_t bytes = place(trial, order);
        if (plan.bytes < 0 || bytes < plan.bytes) {
            plan.slots = trial;
            plan.bytes = bytes;
        }
        return plan.bytes == plan.bytes_lower_bound;
    };
    using Key = std::function<std::int64_t(const ArenaSlot&)>;
    const Key keys[] = {
        [](const ArenaSlot& s) { return -s.bytes; },
        [](const ArenaSlot& s) { return std::int64_t{s.first_operator}; },
        [](const ArenaSlot& s) { return -std::int64_t{s.last_operator}; },
        [](const ArenaSlot& s) { return std::int64_t{s.first_operator} - s.last_operator; },
    };
    std::vector<std::size_t> order(trial.size());
    for (const Key& key : keys) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return key(trial[a]) < key(trial[b]); });
        if (attempt(order)) {
            return plan;
        }
    }
    if (order.size() > k_perturbed_slots_max) {
        return plan;
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return trial[a].bytes > trial[b].bytes; });
    std::uint32_t random = 1;
    for (int i = 0; i < k_perturbed_orders; ++i) {
        random = random * 1664525U + 1013904223U;
        const std::size_t a = (random >> 16) % order.size();
        random = random * 1664525U + 1013904223U;
        const std::size_t b = (random >> 16) % order.size();
        std::swap(order[a], order[b]);
        if (attempt(order)) {
            return plan;
        }
    }
    assert(plan.bytes >= plan.bytes_lower_bound);
    return plan;
}

}  // namespace metamorph::generate

#include "adopt/shared_arena.h"

#include <algorithm>
#include <numeric>

namespace metamorph::adopt {

SharedArena plan_shared(const std::vector<cfront::SharedLocal>& locals) {
    SharedArena arena;
    arena.offsets.assign(locals.size(), 0);
    std::vector<std::size_t> order(locals.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return locals[a].bytes > locals[b].bytes; });
    std::vector<std::size_t> placed;
    for (const std::size_t index : order) {
        const cfront::SharedLocal& local = locals[index];
        std::vector<std::pair<std::int64_t, std::int64_t>> taken;
        for (const std::size_t other : placed) {
            if (locals[other].first_step <= local.last_step && local.first_step <= locals[other].last_step) {
                taken.emplace_back(arena.offsets[other], arena.offsets[other] + locals[other].bytes);
            }
        }
        std::sort(taken.begin(), taken.end());
        const std::int64_t alignment = std::max(local.alignment, k_arena_alignment);
        std::int64_t at = 0;
        for (const auto& [begin, end] : taken) {
            if (at + local.bytes > begin) {
                at = std::max(at, (end + alignment - 1) / alignment * alignment);
            }
        }
        arena.offsets[index] = at;
        arena.bytes = std::max(arena.bytes, at + local.bytes);
        placed.push_back(index);
    }
    return arena;
}

}  // namespace metamorph::adopt

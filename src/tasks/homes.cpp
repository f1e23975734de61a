#include "tasks/homes.h"

#include <algorithm>
#include <numeric>

#include "tasks/task_plan.h"

namespace metamorph::tasks {
namespace {

std::int64_t aligned(std::int64_t address, std::int64_t misalignment) {
    const std::int64_t rest = (address - misalignment) % k_home_alignment;
    return rest == 0 ? address : address + (rest > 0 ? k_home_alignment - rest : -rest);
}

std::int64_t block_begin(std::int64_t address) {
    return address / k_home_alignment * k_home_alignment;
}

std::int64_t block_end(std::int64_t address) {
    return block_begin(address + k_home_alignment - 1);
}

bool are_alive_together(const HomeRequest& a, const HomeRequest& b) {
    return a.is_scratch && b.is_scratch ? a.first_step <= b.last_step && b.first_step <= a.last_step
                                        : a.first_task <= b.last_task && b.first_task <= a.last_task;
}

}  // namespace

std::vector<std::int64_t> allocate_homes(const std::vector<HomeRequest>& requests, std::int64_t base,
                                         std::int64_t& end) {
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return requests[a].bytes > requests[b].bytes; });
    std::vector<std::int64_t> homes(requests.size(), -1);
    std::vector<std::size_t> placed;  // sorted by address
    end = base;
    for (std::size_t index : order) {
        const HomeRequest& wanted = requests[index];
        std::int64_t address = aligned(base, wanted.misalignment);
        for (std::size_t other : placed) {
            const HomeRequest& taken = requests[other];
            if (are_alive_together(wanted, taken) && block_begin(homes[other]) < block_end(address + wanted.bytes) &&
                block_begin(address) < block_end(homes[other] + taken.bytes)) {
                address = aligned(block_end(homes[other] + taken.bytes), wanted.misalignment);
            }
        }
        homes[index] = address;
        end = std::max(end, address + wanted.bytes);
        placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                       [&](std::size_t a, std::size_t b) { return homes[a] < homes[b]; }),
                      index);
    }
    return homes;
}

}  // namespace metamorph::tasks

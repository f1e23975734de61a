// NVM homes: places for values so that no task writes where it, run again, reads.
#pragma once

#include <cstdint>
#include <vector>

namespace metamorph::tasks {

struct HomeRequest {
    std::int64_t bytes = 0;
    std::int64_t misalignment = 0;      // wanted address modulo k_home_alignment
    int first_task = 0, last_task = 0;  // inclusive: from the task that writes it to the last that reads it
    // Scratch is written by the very task that reads it, so two of them may share bytes within a task. Steps,
    // inclusive.
    bool is_scratch = false;
    int first_step = 0, last_step = 0;
};

// Addresses, one a request, from `base` on. Each has all blocks of k_home_alignment bytes to itself that it has a byte
// of, so that a write unit which tears is nobody else's. Requests whose tasks overlap never share a byte, and two that
// are scratch never one where their steps overlap. Largest first, first fit; deterministic. `end` becomes the first
// address behind all homes.
std::vector<std::int64_t> allocate_homes(const std::vector<HomeRequest>& requests, std::int64_t base,
                                         std::int64_t& end);

}  // namespace metamorph::tasks

// How the entry's steps are cut into tasks: reads what the user wrote behind --tasks and turns it into layers per task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::tasks {

struct Split {
    enum class Kind { whole, layer, list, count } kind = Kind::layer;
    std::vector<int> layers;  // kind list: layers per task, each >= 1
    int count = 0;            // kind count: number of tasks, >= 1
};

// "whole", "layer", "3,3,3" (layers per task), "4" (a number of tasks). Errors: options.
Result<Split> parse_split(const std::string& text);

// "3,3,3": as parse_split reads it.
std::string print(const Split& split);

// Layers per task. `boundary_bytes[i]` is what would cross a cut behind step i (size steps - 1 or more): a number of
// tasks is made of parts as equal as can be, and among these of the cuts that the fewest bytes cross. Errors: options
// (a sum that is not the number of steps; more tasks than steps), each with the numbers.
Result<std::vector<int>> layers_per_task(const Split& split, int steps,
                                         const std::vector<std::int64_t>& boundary_bytes);

}  // namespace metamorph::tasks

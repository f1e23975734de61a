// What is to be placed: of each web whether it can live in NVM in place, and of the others the chunks that must be
// copied.
#pragma once

#include <string>
#include <vector>

#include "tasks/task_plan.h"

namespace metamorph::tasks {

// Contiguous bytes of one web that one task leaves for others: one transfer in each of them. Each needs all of the
// bytes, or all but a few, which it fetches, too (after a reboot only).
struct Chunk {
    cfront::ObjectId object = -1;
    Interval bytes;
    int web = -1;
    int def_task = -1, def_step = -1;
    std::vector<int> use_tasks;
};

struct State {  // contiguous state bytes with the same readers and writers
    cfront::ObjectId object = -1;
    Interval bytes;
    std::vector<int> read_tasks, write_tasks;
};

// Webs and what crosses of them.
struct Pieces {
    std::vector<std::vector<int>> generations_of_web;  // indices into Liveness::generations
    std::vector<std::int64_t> crossing_bytes;          // a web each
    std::vector<std::string> why_not;                  // a web each: why it is not in NVM in place; empty: it is
    std::vector<bool> shares_write_unit;               // a web each: two tasks write into one write unit of it
    std::vector<Chunk> chunks;                         // of the webs that cross and are not in place
    std::vector<State> states;

    bool is_in_place(int web) const { return why_not[static_cast<std::size_t>(web)].empty(); }
    bool crosses(std::size_t web) const { return !generations_of_web[web].empty(); }
};

// `write_unit_bytes`: what NVM may tear where power is lost, a power of two of at most k_home_alignment.
Pieces find_pieces(const Chain& chain, const Liveness& liveness, const Webs& webs, NvmMode mode,
                   std::int64_t write_unit_bytes);

}  // namespace metamorph::tasks

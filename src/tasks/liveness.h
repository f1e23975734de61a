// Which bytes cross which task boundary, to the byte.
//
// Every object is cut into segments on which all accesses of all chain steps are uniform; on each segment the classical
// backward liveness over tasks is exact for the given access sets. A read may be too wide and a write too wide
// (may-write): both only make more bytes live, never fewer; only a must-write ends a value's life.
#pragma once

#include <vector>

#include "tasks/chain.h"

namespace metamorph::tasks {

struct Touch {  // of one chain step on one segment, all its arguments together
    int step = -1;
    bool read = false;  // what was there before the step
    bool write = false, must = false, once = false;
};

struct Segment {
    cfront::ObjectId object = -1;
    Interval bytes;
    std::vector<Touch> touches;  // ascending by step
    bool is_state = false;       // of a variable, read before it is written: keeps its value between inferences
};

// A value that one task leaves and later tasks need: one segment's bytes from the end of `def_task` on.
struct Generation {
    int segment = -1;  // into Liveness::segments
    int def_task = -1;
    int def_step = -1;           // the last step of def_task that writes it
    std::vector<int> use_tasks;  // ascending, all > def_task, at least one
};

// A task reads bytes that an earlier task left, and later overwrites them: run again after a cut, it would read its own
// result. `read_step` ≤ `write_step`, both of `task`.
struct WriteAfterRead {
    int task = -1;
    cfront::ObjectId object = -1;
    IntervalSet bytes;
    int read_step = -1, write_step = -1;
};

struct StateUse {  // of a state segment
    int segment = -1;
    std::vector<int> read_tasks;   // that need the value at their start
    std::vector<int> write_tasks;  // that may change it
};

struct Liveness {
    std::vector<Segment> segments;        // sorted by object, then begin
    std::vector<Generation> generations;  // not of state segments
    std::vector<StateUse> states;
    std::vector<WriteAfterRead> write_after_reads;
    std::int64_t crossing_bytes = 0;  // sum over generations and, for each writing task, over state segments

    std::int64_t bytes(const Generation& g) const {
        return segments[static_cast<std::size_t>(g.segment)].bytes.bytes();
    }
};

Liveness analyse_liveness(const Chain& chain);

// What would cross a cut behind each entry step (index i: behind step i), for choosing cuts.
std::vector<std::int64_t> boundary_bytes(const cfront::CodeModel& model, const std::vector<Role>& roles);

}  // namespace metamorph::tasks

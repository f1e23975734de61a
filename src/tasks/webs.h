// Which bytes must move together. A *version* of a segment begins at a must-write and ends at the next. All versions
// that one pointer argument touches must be at the same distance from that pointer, so they form one *web* (the slices
// of a layer count as one call: else each slice's part of the output would get a home as large as all of it): the unit
// that can be given another address (in NVM, say) by changing the arguments of the calls that touch it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tasks/liveness.h"

namespace metamorph::tasks {

struct Web {
    cfront::ObjectId object = -1;
    Interval hull;              // of all its bytes and of the extents of the parameters that receive it
    std::vector<int> segments;  // distinct, ascending
    std::vector<int> written;   // those of `segments` that some step writes while they are in this web
    std::vector<int> writer_steps, reader_steps;  // distinct, ascending
    bool is_pinned = false;                       // a callee names the object itself: its address cannot be changed
    bool has_overwrite = false;   // one segment in two versions: bytes are replaced in place inside the web
    bool is_written_once = true;  // every write is certain, and one store a byte
};

struct Webs {
    std::vector<Web> webs;
    // (chain step, argument) → web; no entry where an argument touches nothing.
    std::map<std::pair<int, int>, int> of_argument;
    // (segment, task) → the web of the version at the end of that task; -1 where the segment was never touched before.
    std::map<std::pair<int, int>, int> at_task_end;
};

Webs find_webs(const Chain& chain, const Liveness& liveness);

}  // namespace metamorph::tasks

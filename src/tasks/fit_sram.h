// What moves to NVM so that the SRAM images fit: values that a task keeps to itself, and values whose copy in SRAM only
// saves writes. Both may be written in NVM however often a task runs; it only costs more than SRAM would.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "tasks/pieces.h"

namespace metamorph::tasks {

struct Fit {
    std::vector<bool> is_moved;                   // a web each: it lives in NVM for want of SRAM
    std::map<cfront::ObjectId, Interval> images;  // bytes of the entry's parameters that SRAM holds
    std::int64_t sram_bytes_wanted = 0;           // of all images, before anything was moved
    std::int64_t sram_bytes = 0;                  // of all images, each rounded up to k_home_alignment
};

// Moves the largest value first, then takes back what turns out to fit after all. Where no more can be moved (or NVM is
// behind a bus), sram_bytes stays above `bytes_max`. Images begin at 0 unless something was moved.
Fit fit_sram(const Chain& chain, const Webs& webs, const Pieces& pieces, NvmMode mode, std::int64_t bytes_max);

// Every argument of a step that is an object of the chain: step, argument, object, offset in it.
using PointerVisitor = std::function<void(int step, int argument, cfront::ObjectId object, std::int64_t offset)>;
void for_each_pointer(const Chain& chain, const PointerVisitor& visit);

}  // namespace metamorph::tasks

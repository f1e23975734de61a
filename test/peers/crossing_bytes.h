// How many bytes really cross the boundaries of a woven program, by the accesses that its code makes when it runs: the
// measure that the planner's own count, and what is written to NVM, are held against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/cfront/recorded_run.h"
#include "pipeline/pipeline.h"
#include "util/result.h"

namespace metamorph {

// Runs code of another generator, once for each of `inputs` (each as long as the network's input).
Result<std::vector<cfront::Recording>> record_inferences(const pipeline::Woven& woven,
                                                         const std::vector<std::string>& inputs);

// Each value counts once that one task leaves and a later one reads before it writes there itself, in any of the
// recordings.
std::int64_t recorded_crossing_bytes(const tasks::Chain& chain, const std::vector<cfront::Recording>& recordings);

}  // namespace metamorph

// Threads that take stages from a StageQueue until it is empty. They live until the end: a child process dies with the
// thread that started it (parent-death signal).
#pragma once

#include <functional>

#include "matrix/stage_queue.h"
#include "util/result.h"

namespace metamorph::matrix {

// Does one stage. The answer: whether the run goes on to its next stage. An error ends everything: what runs is waited
// for, nothing new is started. Called from several threads at once, never for one run.
using StageBody = std::function<Result<bool>(const StageQueue::Started&)>;

// As many threads as `threads`, the limits' slots being the sensible number. Returns the first error.
Status run_stages(StageQueue& queue, int threads, const StageBody& body);

}  // namespace metamorph::matrix

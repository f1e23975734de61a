// Does the same work for each of many indices on a bounded number of threads, with results that do not depend on how
// many:
// `-j1` equals `-jN`. Indices are started in ascending order, so that the error that is reported is the one of the
// lowest index that fails: all below it were started before it, and are waited for.
//
// Threads live as long as a call. Rejected: a pool that outlives it, with a queue: what is run here takes milliseconds
// at least (compilers, child processes), a thread takes 20 µs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "util/result.h"

namespace metamorph {

inline constexpr int k_threads_max = 256;

// METAMORPH_JOBS, where that is a number from 1 to k_threads_max (a matrix says so to what it starts); else as many as
// there are processors we may run on, at least 1.
int default_threads();

// Calls body(i) for each i in [0, count), on min(threads, count) threads (threads: 1 to k_threads_max). With one, on
// the calling thread. After an error no further index is started. Returns the error of the lowest failing index.
Status parallel_for(int threads, std::int64_t count, const std::function<Status(std::int64_t)>& body);

// The same with results, in the order of indices: parallel_map<T>(threads, count, [](std::int64_t i) -> Result<T> {…}).
template <typename T, typename Body>
Result<std::vector<T>> parallel_map(int threads, std::int64_t count, Body&& body) {
    std::vector<std::optional<T>> slots(static_cast<std::size_t>(count));
    MM_CHECK(parallel_for(threads, count, [&](std::int64_t i) -> Status {
        MM_TRY(slots[static_cast<std::size_t>(i)], body(i));
        return {};
    }));
    std::vector<T> results;
    results.reserve(slots.size());
    for (std::optional<T>& slot : slots) {
        results.push_back(std::move(*slot));
    }
    return results;
}

}  // namespace metamorph

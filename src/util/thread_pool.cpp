#include "util/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

namespace metamorph {

int default_threads() {
    const std::string_view wanted = std::getenv("METAMORPH_JOBS") != nullptr ? std::getenv("METAMORPH_JOBS") : "";
    int number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && end == wanted.data() + wanted.size() && number >= 1 && number <= k_threads_max) {
        return number;
    }
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        return std::clamp(CPU_COUNT(&allowed), 1, k_threads_max);
    }
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, k_threads_max);
}

Status parallel_for(int threads, std::int64_t count, const std::function<Status(std::int64_t)>& body) {
    if (threads < 1 || threads > k_threads_max) {
        return fail(ErrorCode::internal, {}, "{} threads: 1 to {} are possible", threads, k_threads_max);
    }
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::int64_t failed_index = count;
    Error first_error;

    const auto work = [&] {
        while (!stop.load()) {
            const std::int64_t index = next.fetch_add(1);
            if (index >= count) {
                return;
            }
            const Status status = body(index);
            if (!status) {
                const std::lock_guard lock(mutex);
                stop.store(true);
                if (index < failed_index) {
                    failed_index = index;
                    first_error = status.error();
                }
            }
        }
    };
    const std::int64_t wanted = std::min<std::int64_t>(threads, count);
    if (wanted <= 1) {
        work();
    } else {
        std::vector<std::jthread> workers;
        for (std::int64_t i = 0; i < wanted; ++i) {
            workers.emplace_back(work);
        }
        workers.clear();  // joins
    }
    if (failed_index < count) {
        return tl::unexpected<Error>(std::move(first_error));
    }
    return {};
}

}  // namespace metamorph

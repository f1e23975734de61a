#include "util/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace metamorph {
namespace {

TEST(ThreadPool, ResultsDoNotDependOnTheNumberOfThreads) {
    const auto square = [](std::int64_t i) -> Result<std::int64_t> {
        std::this_thread::sleep_for(std::chrono::microseconds((i * 37) % 200));
        return i * i;
    };
    const auto one = parallel_map<std::int64_t>(1, 200, square);
    const auto many = parallel_map<std::int64_t>(7, 200, square);
    ASSERT_TRUE(one);
    ASSERT_TRUE(many);
    EXPECT_EQ(*one, *many);
    EXPECT_EQ(one->at(199), 199 * 199);
}

TEST(ThreadPool, NeverMoreThreadsThanAllowed) {
    std::atomic<int> running{0}, most{0};
    const Status status = parallel_for(3, 60, [&](std::int64_t) -> Status {
        const int now = ++running;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --running;
        return {};
    });
    EXPECT_TRUE(status);
    EXPECT_LE(most.load(), 3);
    EXPECT_GE(most.load(), 2);
}

TEST(ThreadPool, TheErrorOfTheLowestIndexWinsWhateverTheTiming) {
    for (int threads : {1, 2, 8}) {
        std::atomic<int> started{0};
        const Status status = parallel_for(threads, 1000, [&](std::int64_t i) -> Status {
            ++started;
            if (i == 5) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            return i >= 5 ? fail(ErrorCode::model, {}, "index {}", i) : Status{};
        });
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().message, "index 5");
        EXPECT_LE(started.load(), 5 + 2 * threads) << "work went on after an error";
    }
}

TEST(ThreadPool, NothingToDo) {
    EXPECT_TRUE(parallel_for(4, 0, [](std::int64_t) -> Status { return fail(ErrorCode::internal, {}, "never"); }));
}

TEST(ThreadPool, AnImpossibleNumberOfThreadsIsRefused) {
    for (int threads : {0, -1, k_threads_max + 1}) {
        const Status status = parallel_for(threads, 1, [](std::int64_t) -> Status { return {}; });
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, ErrorCode::internal);
    }
    EXPECT_GE(default_threads(), 1);
}

}  // namespace
}  // namespace metamorph

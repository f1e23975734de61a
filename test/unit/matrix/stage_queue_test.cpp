// Stages of many runs, in orders of their ends that are drawn from a printed seed.
#include "matrix/stage_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "matrix/stage_pool.h"

namespace metamorph::matrix {
namespace {

using Started = StageQueue::Started;

struct Load {
    PoolLimits limits;
    std::vector<std::vector<StageCost>> runs;
};

Load random_load(std::mt19937_64& random) {
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    Load load{{draw(1, 8), draw(100, 2000)}, {}};
    for (int run = draw(1, 12); run > 0; --run) {
        std::vector<StageCost> stages;
        for (int stage = draw(1, 4); stage > 0; --stage) {
            stages.push_back(
                {draw(1, 9), draw(1, 2500), draw(0, 300), draw(0, 2) == 0 ? std::to_string(draw(0, 2)) : ""});
        }
        load.runs.push_back(std::move(stages));
    }
    return load;
}

TEST(StageQueue, EveryOrderOfEndsKeepsTheLimitsAndDoesEverything) {
    const std::uint64_t first = std::random_device{}();
    std::cout << "seeds from " << first << "\n";
    for (std::uint64_t seed = first; seed < first + 300; ++seed) {
        std::mt19937_64 random(seed);
        const Load load = random_load(random);
        StageQueue queue(load.limits);
        for (const auto& stages : load.runs) {
            queue.add(stages);
        }
        std::vector<Started> running;
        std::map<std::size_t, std::size_t> next;
        std::set<std::string> made;
        std::size_t ended = 0, wanted = 0;
        for (const auto& stages : load.runs) {
            wanted += stages.size();
        }
        while (!queue.is_done()) {
            while (const auto started = queue.next()) {
                EXPECT_EQ(started->stage, next[started->run]) << "seed " << seed << ": stages of a run, in order";
                EXPECT_GE(started->slots, 1);
                running.push_back(*started);
                EXPECT_LE(queue.slots_used(), load.limits.slots) << "seed " << seed;
                EXPECT_TRUE(queue.memory_used() <= load.limits.memory_mib || running.size() == 1) << "seed " << seed;
            }
            ASSERT_FALSE(running.empty()) << "seed " << seed << ": nothing runs, and nothing may start";
            const std::size_t which = std::uniform_int_distribution<std::size_t>(0, running.size() - 1)(random);
            const std::string& shares = load.runs[running[which].run][running[which].stage].shares;
            for (const Started& other : running) {
                const bool is_beside = !shares.empty() && !made.contains(shares) && other.run != running[which].run &&
                                       load.runs[other.run][other.stage].shares == shares;
                EXPECT_FALSE(is_beside) << "seed " << seed << ": two make the same";
            }
            made.insert(shares);
            queue.ended(running[which], true);
            next[running[which].run] = running[which].stage + 1;
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
            ++ended;
        }
        EXPECT_EQ(ended, wanted) << "seed " << seed;
        EXPECT_EQ(queue.slots_used(), 0);
        EXPECT_EQ(queue.memory_used(), 0);
    }
}

TEST(StageQueue, ARunThatHasItsResultGoesNoFurther) {
    StageQueue queue({1, 100});
    queue.add({{1, 1, 0, ""}, {1, 1, 0, ""}});
    const auto started = queue.next();
    ASSERT_TRUE(started);
    queue.ended(*started, false);
    EXPECT_TRUE(queue.is_done());
}

TEST(StageQueue, WhatIsDoneIsNotDoneAgain) {
    StageQueue queue({1, 100});
    queue.add({{1, 1, 0, ""}, {1, 1, 0, ""}}, 1);
    EXPECT_EQ(queue.next()->stage, 1U);
}

TEST(StageQueue, TheFurthestStageComesFirstAndTheLastRunGetsAllSlots) {
    StageQueue queue({1, 1000});
    queue.add({{8, 1, 0, ""}, {8, 1, 0, ""}});
    queue.add({{8, 1, 0, ""}});
    const auto first = queue.next();
    EXPECT_EQ(first->run, 0U);
    queue.ended(*first, true);
    EXPECT_EQ(queue.next()->run, 0U) << "its second stage before the other's first";
    StageQueue alone({6, 1000});
    alone.add({{8, 1, 0, ""}});
    EXPECT_EQ(alone.next()->slots, 6);
}

TEST(StageQueue, WhatIsLargerThanTheLimitRunsAloneAndIsNotStarved) {
    StageQueue queue({4, 100});
    for (int i = 0; i < 40; ++i) {
        queue.add({{1, 60, 0, ""}});
    }
    queue.add({{1, 500, 0, ""}});
    int before = 0;
    std::vector<Started> running;
    for (bool is_started = false; !is_started;) {
        while (const auto started = queue.next()) {
            is_started = is_started || started->run == 40;
            running.push_back(*started);
        }
        EXPECT_EQ(running.size(), 1U);
        queue.ended(running.front(), true);
        running.clear();
        ++before;
    }
    EXPECT_LE(before, 40 + 1);
}

TEST(StageQueue, WhoMakesWhatIsSharedComesFirstAndOthersWaitWithoutASlot) {
    StageQueue queue({3, 1000});
    queue.add({{1, 1, 0, ""}});
    for (int i = 0; i < 3; ++i) {
        queue.add({{1, 1, 0, "tflm"}, {1, 1, 0, ""}});
    }
    const auto maker = queue.next(), other = queue.next();
    EXPECT_EQ(maker->run, 1U);
    EXPECT_EQ(other->run, 0U);
    EXPECT_FALSE(queue.next()) << "two would only wait";
    queue.ended(*maker, false);
    const auto second = queue.next();
    EXPECT_EQ(second->run, 2U) << "the first has failed: another tries";
    EXPECT_FALSE(queue.next());
    queue.ended(*second, true);
    EXPECT_EQ(queue.next()->stage, 1U);
    EXPECT_EQ(queue.next()->run, 3U);
}

TEST(StagePool, AnErrorEndsEverythingAndIsReturned) {
    StageQueue queue({3, 1000});
    for (int i = 0; i < 20; ++i) {
        queue.add({{1, 1, 0, ""}, {1, 1, 0, ""}});
    }
    std::atomic<int> calls = 0;
    const Status status = run_stages(queue, 3, [&](const Started&) -> Result<bool> {
        const int call = ++calls;
        if (call == 5) {
            return fail(ErrorCode::system, "disk", "full");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(call > 5 ? 20 : 0));
        return true;
    });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "full");
    EXPECT_LT(calls, 20);
}

TEST(StagePool, AllStagesAreDoneAndNeverTwoOfOneRun) {
    StageQueue queue({4, 1000});
    for (int i = 0; i < 30; ++i) {
        queue.add({{1, 1, 0, ""}, {2, 1, 0, ""}, {1, 1, 0, ""}});
    }
    std::array<std::atomic<int>, 30> inside{};
    std::atomic<int> done = 0;
    EXPECT_TRUE(run_stages(queue, 4, [&](const Started& started) -> Result<bool> {
        EXPECT_EQ(++inside[started.run], 1);
        ++done;
        --inside[started.run];
        return true;
    }));
    EXPECT_EQ(done, 90);
}

}  // namespace
}  // namespace metamorph::matrix

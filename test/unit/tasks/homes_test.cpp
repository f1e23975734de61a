#include "tasks/homes.h"

#include <random>

#include <gtest/gtest.h>

#include "tasks/task_plan.h"

namespace metamorph::tasks {
namespace {

TEST(Homes, SharesWhatIsNotAliveTogether) {
    std::int64_t end = 0;
    const auto homes = allocate_homes({{64, 0, 0, 1}, {64, 0, 1, 2}, {64, 0, 2, 3}}, 128, end);
    EXPECT_EQ(homes[0], homes[2]);
    EXPECT_NE(homes[0], homes[1]);
    EXPECT_EQ(end, 256);
}

TEST(Homes, NeverOverlapsWhatIsAliveTogether) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<HomeRequest> requests;
        for (int i = 0; i < 20; ++i) {
            const int first = static_cast<int>(random() % 10);
            requests.push_back({1 + static_cast<std::int64_t>(random() % 100), static_cast<std::int64_t>(random() % 16),
                                first, first + static_cast<int>(random() % 4)});
        }
        std::int64_t end = 0;
        const auto homes = allocate_homes(requests, 128, end);
        for (std::size_t a = 0; a < requests.size(); ++a) {
            EXPECT_GE(homes[a], 128);
            EXPECT_LE(homes[a] + requests[a].bytes, end);
            EXPECT_EQ(homes[a] % k_home_alignment, requests[a].misalignment);
            for (std::size_t b = 0; b < a; ++b) {
                const bool together =
                    requests[a].first_task <= requests[b].last_task && requests[b].first_task <= requests[a].last_task;
                // Not a block of k_home_alignment bytes in common: a write unit that tears is nobody else's.
                const bool overlap =
                    homes[a] / k_home_alignment <= (homes[b] + requests[b].bytes - 1) / k_home_alignment &&
                    homes[b] / k_home_alignment <= (homes[a] + requests[a].bytes - 1) / k_home_alignment;
                EXPECT_FALSE(together && overlap);
            }
        }
    }
}

TEST(Homes, ScratchOfOneTaskSharesWhatIsNotAliveInOneStep) {
    std::int64_t end = 0;
    const std::vector<std::int64_t> homes = allocate_homes({{64, 0, 1, 1, true, 1, 2},
                                                            {64, 0, 1, 1, true, 2, 3},
                                                            {64, 0, 1, 1, true, 3, 4},
                                                            {32, 0, 0, 1, false, 0, 0},
                                                            {32, 0, 1, 2, false, 4, 9}},
                                                           128, end);
    EXPECT_EQ(homes[0], homes[2]);
    EXPECT_NE(homes[0], homes[1]);
    EXPECT_EQ(end, 128 + 2 * 64 + 2 * 32) << "what crosses shares with no scratch of its tasks";
}

}  // namespace
}  // namespace metamorph::tasks

// util/checked at the borders of int64.
#include "util/checked.h"

#include <gtest/gtest.h>

namespace metamorph {
namespace {

constexpr std::int64_t k_max = std::numeric_limits<std::int64_t>::max();

TEST(Checked, MultiplySaturates) {
    EXPECT_EQ(saturating_multiply(6, 7), 42);
    EXPECT_EQ(saturating_multiply(k_max, 1), k_max);
    EXPECT_EQ(saturating_multiply(k_max / 2 + 1, 2), k_max);
    EXPECT_EQ(saturating_multiply(std::int64_t{1} << 40, std::int64_t{1} << 40), k_max);
    EXPECT_EQ(saturating_multiply(k_max, 0), 0);
}

TEST(Checked, AddSaturates) {
    EXPECT_EQ(saturating_add(1, 2), 3);
    EXPECT_EQ(saturating_add(k_max - 1, 1), k_max);
    EXPECT_EQ(saturating_add(k_max, k_max), k_max);
}

}  // namespace
}  // namespace metamorph

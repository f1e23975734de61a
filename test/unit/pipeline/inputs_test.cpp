#include "pipeline/inputs.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

namespace metamorph::pipeline {
namespace {

float float_at(const std::string& bytes, std::size_t at) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

TEST(Inputs, WithoutFloatsAreBytesAtRandom) {
    EXPECT_EQ(random_inferences(7, 3, 20, {}), random_inputs(7, 60));
}

// Bytes at random are no number or infinite in one float of 256.
TEST(Inputs, FloatsAreNumbersFromMinusOneToOne) {
    const std::string inputs = random_inferences(1, 50, 44, {{0, 16}, {24, 44}}), bytes = random_inputs(1, 50 * 44);
    ASSERT_EQ(inputs.size(), bytes.size());
    int below = 0;
    for (std::size_t start = 0; start < inputs.size(); start += 44) {
        EXPECT_EQ(inputs.substr(start + 16, 8), bytes.substr(start + 16, 8)) << "what is no float stays";
        for (const std::size_t at : {0, 4, 8, 12, 24, 28, 32, 36, 40}) {
            const float value = float_at(inputs, start + at);
            EXPECT_TRUE(value >= -1.0F && value < 1.0F) << value;
            below += value < 0.0F ? 1 : 0;
        }
    }
    EXPECT_GT(below, 150) << "of 450: they are spread";
    EXPECT_LT(below, 300);
    EXPECT_EQ(random_inferences(1, 50, 44, {{0, 16}, {24, 44}}), inputs) << "the same every time";
    EXPECT_NE(random_inferences(2, 50, 44, {{0, 16}, {24, 44}}), inputs);
}

}  // namespace
}  // namespace metamorph::pipeline

// The generation-time arithmetic against values worked out by hand, and against floating point within its precision.
#include "generate/native/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace metamorph::generate::native {
namespace {

TEST(QuantizeMultiplier, HasItsLeadingBitAtTheTop) {
    EXPECT_EQ(quantize_multiplier(1.0), (Multiplier{1 << 30, 1}));
    EXPECT_EQ(quantize_multiplier(0.5), (Multiplier{1 << 30, 0}));
    EXPECT_EQ(quantize_multiplier(0.75), (Multiplier{3 << 29, 0}));
    EXPECT_EQ(quantize_multiplier(6.0), (Multiplier{3 << 29, 3}));
    EXPECT_EQ(quantize_multiplier(0.0), (Multiplier{0, 0}));
}

TEST(QuantizeMultiplier, RoundsUpIntoTheNextPowerOfTwo) {
    EXPECT_EQ(quantize_multiplier(1.0 - 1e-12), (Multiplier{1 << 30, 1}));
}

TEST(QuantizeMultiplier, FlushesWhatIsTooSmallToZero) {
    EXPECT_EQ(quantize_multiplier(std::ldexp(0.5, -32)), (Multiplier{0, 0}));
    EXPECT_EQ(quantize_multiplier(std::ldexp(0.5, -31)), (Multiplier{1 << 30, -31}));
}

TEST(DoublingHighMultiply, RoundsHalvesUpwards) {
    EXPECT_EQ(doubling_high_multiply(1, 1 << 30), 1);   // 0.5
    EXPECT_EQ(doubling_high_multiply(-1, 1 << 30), 0);  // -0.5
    EXPECT_EQ(doubling_high_multiply(-3, 1 << 30), -1);
    constexpr std::int32_t k_min = std::numeric_limits<std::int32_t>::min();
    EXPECT_EQ(doubling_high_multiply(k_min, k_min), std::numeric_limits<std::int32_t>::max());
}

TEST(RoundingShiftRight, RoundsHalvesAwayFromZero) {
    EXPECT_EQ(rounding_shift_right(3, 1), 2);
    EXPECT_EQ(rounding_shift_right(-3, 1), -2);
    EXPECT_EQ(rounding_shift_right(5, 2), 1);
    EXPECT_EQ(rounding_shift_right(6, 2), 2);
    EXPECT_EQ(rounding_shift_right(-6, 2), -2);
    EXPECT_EQ(rounding_shift_right(-7, 0), -7);
    EXPECT_EQ(rounding_shift_right(std::numeric_limits<std::int32_t>::min(), 31), -1);
}

TEST(ActivationRange, FollowsScaleAndZeroPoint) {
    const auto relu = activation_range(graph::Activation::relu, 0.1F, -20);
    ASSERT_TRUE(relu);
    EXPECT_EQ(relu->min, -20);
    EXPECT_EQ(relu->max, 127);
    const auto relu6 = activation_range(graph::Activation::relu6, 0.1F, -20);
    ASSERT_TRUE(relu6);
    EXPECT_EQ(relu6->max, 40);
    const auto both = activation_range(graph::Activation::relu_n1_to_1, 0.1F, 125);
    ASSERT_TRUE(both);
    EXPECT_EQ(both->min, 115);
    EXPECT_EQ(both->max, 127);
}

TEST(ActivationRange, RefusesABoundBeyond32Bits) {
    EXPECT_FALSE(activation_range(graph::Activation::relu6, 1e-12F, 0));
}

TEST(QuantizeSaturated, StaysInInt8) {
    EXPECT_EQ(quantize_saturated(6.0F, 0.1F, -20), 40);
    EXPECT_EQ(quantize_saturated(6.0F, 1e-9F, 0), 127);
}

TEST(SoftmaxExponentials, AreExponentials) {
    const auto table = softmax_exponentials(0.1F, 1.0F);
    ASSERT_TRUE(table);
    EXPECT_EQ((*table)[0], std::numeric_limits<std::int32_t>::max());
    for (int d = 1; d < 256; ++d) {
        EXPECT_NEAR((*table)[static_cast<std::size_t>(d)] / 2147483648.0, std::exp(-0.1 * d), 1e-6) << d;
    }
}

TEST(SoftmaxExponentials, AreZeroBeyondTheCutOff) {
    const auto table = softmax_exponentials(1.0F, 1.0F);  // e^-32 and beyond
    ASSERT_TRUE(table);
    EXPECT_EQ((*table)[200], 0);
}

TEST(SoftmaxExponentials, RefuseAScaleThatVanishes) {
    EXPECT_FALSE(softmax_exponentials(1e-9F, 1.0F));
}

}  // namespace
}  // namespace metamorph::generate::native

// See fixed_point.h. exp() follows gemmlowp's fixed-point algorithm: the argument is split into a part in [-1/4, 0),
// done by a Taylor expansion around -1/8, and multiples of 1/4, each bit of which multiplies the result by a constant.
#include "generate/native/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace metamorph::generate::native {
namespace {

constexpr std::int32_t k_int32_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t k_int32_min = std::numeric_limits<std::int32_t>::min();

std::int32_t saturating_shift_left(std::int32_t value, int exponent) {
    const std::int64_t wide = static_cast<std::int64_t>(value) * (std::int64_t{1} << exponent);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(wide, k_int32_min, k_int32_max));
}

// e^a for a in [-1/4, 0), Q0.31 in and out.
std::int32_t exp_on_last_quarter(std::int32_t a) {
    constexpr std::int32_t k_exp_of_minus_one_eighth = 1895147668;
    constexpr std::int32_t k_one_third = 715827883;
    const std::int32_t x = a + (1 << 28);
    const std::int32_t x2 = doubling_high_multiply(x, x);
    const std::int32_t x3 = doubling_high_multiply(x2, x);
    const std::int32_t x4 = doubling_high_multiply(x2, x2);
    const std::int32_t x4_over_4 = rounding_shift_right(x4, 2);
    const std::int32_t tail = rounding_shift_right(doubling_high_multiply(x4_over_4 + x3, k_one_third) + x2, 1);
    return k_exp_of_minus_one_eighth + doubling_high_multiply(k_exp_of_minus_one_eighth, x + tail);
}

// e^a for a <= 0 in Q5.26; Q0.31 out.
std::int32_t exp_on_negative(std::int32_t a) {
    if (a == 0) {
        return k_int32_max;
    }
    constexpr int k_fraction_bits = 26;
    constexpr std::int32_t k_one_quarter = 1 << (k_fraction_bits - 2);
    const std::int32_t last_quarter = (a & (k_one_quarter - 1)) - k_one_quarter;
    std::int32_t result = exp_on_last_quarter(saturating_shift_left(last_quarter, 5));
    const std::int32_t remainder = last_quarter - a;
    constexpr std::int32_t k_exp_of_minus_power[] = {1672461947, 1302514674, 790015084, 290630308,
                                                     39332535,   720401,     242};
    for (int i = 0; i < 7; ++i) {  // bit i of the remainder stands for 2^(i - 2)
        if ((remainder & (1 << (k_fraction_bits - 2 + i))) != 0) {
            result = doubling_high_multiply(result, k_exp_of_minus_power[i]);
        }
    }
    return result;
}

// round(value / scale) + zero_point in the reference's float arithmetic; empty where it would not fit.
std::optional<std::int64_t> quantize(float value, float scale, std::int64_t zero_point) {
    const float rounded = std::round(value / scale);
    if (!(rounded >= static_cast<float>(k_int32_min) && rounded <= 2147483520.0F)) {
        return std::nullopt;
    }
    return zero_point + static_cast<std::int64_t>(rounded);
}

}  // namespace

std::int32_t doubling_high_multiply(std::int32_t a, std::int32_t b) {
    if (a == k_int32_min && b == k_int32_min) {
        return k_int32_max;
    }
    return static_cast<std::int32_t>((static_cast<std::int64_t>(a) * b + (std::int64_t{1} << 30)) >> 31);
}

std::int32_t rounding_shift_right(std::int32_t value, int exponent) {
    const std::int32_t mask = static_cast<std::int32_t>((std::int64_t{1} << exponent) - 1);
    const std::int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
    return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

Multiplier quantize_multiplier(double real) {
    if (real == 0.0) {
        return {};
    }
    int shift = 0;
    const double fraction = std::frexp(real, &shift);
    std::int64_t fixed = std::llround(fraction * static_cast<double>(std::int64_t{1} << 31));
    if (fixed == std::int64_t{1} << 31) {
        fixed /= 2;
        ++shift;
    }
    if (shift < -31) {
        return {};
    }
    return {static_cast<std::int32_t>(fixed), shift};
}

std::optional<ActivationRange> activation_range(graph::Activation activation, float scale, std::int64_t zero_point) {
    float lower = 0.0F;
    float upper = 0.0F;
    switch (activation) {
        case graph::Activation::none:
            return ActivationRange{};
        case graph::Activation::relu:
            break;
        case graph::Activation::relu6:
            upper = 6.0F;
            break;
        case graph::Activation::relu_n1_to_1:
            lower = -1.0F;
            upper = 1.0F;
            break;
    }
    ActivationRange range;
    const std::optional<std::int64_t> min = quantize(lower, scale, zero_point);
    const std::optional<std::int64_t> max = quantize(upper, scale, zero_point);
    if (!min || !max) {
        return std::nullopt;
    }
    range.min = static_cast<std::int32_t>(std::max<std::int64_t>(-128, *min));
    if (activation != graph::Activation::relu) {
        range.max = static_cast<std::int32_t>(std::min<std::int64_t>(127, *max));
    }
    return range;
}

std::int32_t quantize_saturated(float value, float scale, std::int64_t zero_point) {
    const double quantized = std::round(static_cast<double>(value / scale)) + static_cast<double>(zero_point);
    return static_cast<std::int32_t>(std::clamp(quantized, -128.0, 127.0));
}

std::optional<std::array<std::int32_t, 256>> softmax_exponentials(float scale, float beta) {
    constexpr int k_integer_bits = 5;
    const double real = std::min(static_cast<double>(beta) * static_cast<double>(scale) * (1 << (31 - k_integer_bits)),
                                 static_cast<double>((std::int64_t{1} << 31) - 1));
    if (!(real > 1.0)) {
        return std::nullopt;
    }
    const Multiplier multiplier = quantize_multiplier(real);
    const double radius = 1.0 * ((1 << k_integer_bits) - 1) *
                          static_cast<double>(std::int64_t{1} << (31 - k_integer_bits)) /
                          static_cast<double>(std::int64_t{1} << multiplier.shift);
    const int largest_difference = static_cast<int>(std::floor(radius));
    std::array<std::int32_t, 256> table{};
    for (int d = 0; d < 256 && d <= largest_difference; ++d) {
        const std::int64_t shifted = -static_cast<std::int64_t>(d) * (std::int64_t{1} << multiplier.shift);
        table[static_cast<std::size_t>(d)] =
            exp_on_negative(doubling_high_multiply(static_cast<std::int32_t>(shifted), multiplier.value));
    }
    return table;
}

}  // namespace metamorph::generate::native

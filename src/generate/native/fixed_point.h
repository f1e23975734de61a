// The reference's fixed-point arithmetic, evaluated at generation time: multipliers and shifts from scales, activation
// ranges, and the exponential table of Softmax. Every function repeats the order and the precision (float or double) of
// TensorFlow Lite Micro's reference kernels, because the last bit depends on them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "graph/graph.h"

namespace metamorph::generate::native {

// real = value * 2^(shift - 31), value in [2^30, 2^31) or 0.
struct Multiplier {
    std::int32_t value = 0;
    int shift = 0;
    friend bool operator==(const Multiplier&, const Multiplier&) = default;
};
Multiplier quantize_multiplier(double real);

struct ActivationRange {
    std::int32_t min = -128, max = 127;
};
// Empty where the reference refuses the scale (a bound that does not fit in 32 bits).
std::optional<ActivationRange> activation_range(graph::Activation activation, float scale, std::int64_t zero_point);

// round(value / scale) + zero_point, saturated to int8: how stand-alone ReLU6 finds its upper bound.
std::int32_t quantize_saturated(float value, float scale, std::int64_t zero_point);

// exp[d] = e^(-d * scale * beta) as a Q0.31 number for d = largest input - input, 0 beyond the reference's cut-off.
// Empty where the reference refuses the scale (too small to be told from zero).
std::optional<std::array<std::int32_t, 256>> softmax_exponentials(float scale, float beta);

// Arithmetic that the generated C does too; here for the table and for tests.
std::int32_t doubling_high_multiply(std::int32_t a, std::int32_t b);
std::int32_t rounding_shift_right(std::int32_t value, int exponent);

}  // namespace metamorph::generate::native

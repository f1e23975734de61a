// See arithmetic.h. `@` stands for the prefix, `~` for as many spaces.
//
// The doubling high multiply of the reference adds a nudge of 2^30 or 1 - 2^30 and divides by 2^31 towards zero; for
// every pair but (INT32_MIN, INT32_MIN), which cannot occur with multipliers >= 0, that equals adding 2^30 and shifting
// right arithmetically: one instruction sequence without a branch.
#include "generate/native/arithmetic.h"

#include <string_view>

namespace metamorph::generate::native {
namespace {

constexpr std::string_view k_core =
    R"(// Fixed-point arithmetic of the layers, bit for bit that of TensorFlow Lite Micro's reference kernels. Signed right
// shifts are arithmetic, as on every compiler for the processors meant here.

static inline int32_t @_min(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t @_max(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static inline int8_t @_clamp_int8(int32_t value, int32_t low, int32_t high) {
    return (int8_t)(value < low ? low : value > high ? high : value);
}

// a * b / 2^31, rounded to nearest, halves upwards. Not both INT32_MIN.
static inline int32_t @_doubling_high_multiply(int32_t a, int32_t b) {
    return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

// value / 2^exponent, rounded to nearest, halves away from zero; exponent 0 to 31.
static inline int32_t @_rounding_shift_right(int32_t value, int32_t exponent) {
    const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1U);
    const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
    return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

// value * multiplier / 2^(31 + shift), rounded twice as the reference does; multiplier >= 0, shift 0 to 31.
static inline int32_t @_scale(int32_t value, int32_t multiplier, int32_t shift) {
    return @_rounding_shift_right(@_doubling_high_multiply(value, multiplier), shift);
}

static inline int8_t @_requantize(int32_t value, int32_t multiplier, int32_t shift, int32_t zero_point,
~                                 int32_t low, int32_t high) {
    return @_clamp_int8(@_scale(value, multiplier, shift) + zero_point, low, high);
}

// The same for a shift that goes left where it is positive, right where negative. What overflows wraps, as it does in
// the reference.
static inline int8_t @_requantize_any(int32_t value, int32_t multiplier, int32_t shift, int32_t zero_point,
~                                     int32_t low, int32_t high) {
    const int32_t left = @_max(shift, 0);
    const int32_t right = @_max(-shift, 0);
    const int32_t scaled = @_scale((int32_t)((uint32_t)value << left), multiplier, right);
    return @_clamp_int8((int32_t)((uint32_t)scaled + (uint32_t)zero_point), low, high);
}
)";

constexpr std::string_view k_softmax = R"(
static inline int32_t @_saturating_shift_left(int32_t value, int32_t exponent) {
    const int64_t wide = (int64_t)value * (INT64_C(1) << exponent);
    return wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

// Of a value > 0.
static inline int32_t @_leading_zeros(int32_t value) {
    uint32_t rest = (uint32_t)value;
    int32_t zeros = 0;
    for (int32_t step = 16; step > 0; step /= 2) {
        if (rest >> (32 - step) == 0U) {
            zeros += step;
            rest <<= step;
        }
    }
    return zeros;
}

// 1 / (1 + x), Q0.31, where 1 + x is `sum` scaled to [1, 2) by shifting out its `zeros` leading zeros. Newton's
// division; it begins with 48/17 - 32/17 * half, Q2.29.
static inline int32_t @_reciprocal(int32_t sum, int32_t zeros) {
    const int32_t x = (int32_t)(((uint32_t)sum << zeros) - (UINT32_C(1) << 31));
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
    int32_t estimate = 1515870810 + @_doubling_high_multiply(half, -1010580540);
    for (int32_t i = 0; i < 3; ++i) {
        const int32_t error = (1 << 29) - @_doubling_high_multiply(half, estimate);
        estimate += @_saturating_shift_left(@_doubling_high_multiply(estimate, error), 2);
    }
    return @_saturating_shift_left(estimate, 1);
}
)";

std::string with_prefix(std::string_view text, const std::string& prefix) {
    std::string result;
    for (const char c : text) {
        if (c == '@') {
            result += prefix;
        } else if (c == '~') {
            result.append(prefix.size(), ' ');
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace

std::string arithmetic_header(const std::string& banner, const std::string& prefix, const std::string& upper,
                              bool softmax) {
    std::string text =
        banner + "#ifndef " + upper + "_ARITHMETIC_H\n#define " + upper + "_ARITHMETIC_H\n\n#include <stdint.h>\n\n";
    text += with_prefix(k_core, prefix);
    if (softmax) {
        text += with_prefix(k_softmax, prefix);
    }
    return text + "\n#endif\n";
}

}  // namespace metamorph::generate::native

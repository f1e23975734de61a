// int64 arithmetic that saturates instead of overflowing, for sizes that come from files nobody vouches for.
#pragma once

#include <cstdint>
#include <limits>

namespace metamorph {

// The product of two non-negative numbers, or the largest int64 if it does not fit.
inline std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

// The sum of two non-negative numbers, or the largest int64 if it does not fit.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace metamorph

// Random numbers that are the same on every machine and library: SplitMix64. (The distributions of <random> are not.)
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace metamorph::test_support {

class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t bits() {
        m_state += 0x9E3779B97F4A7C15U;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    std::int64_t between(std::int64_t first, std::int64_t last) {  // both inclusive
        assert(first <= last);
        return first + static_cast<std::int64_t>(bits() % (static_cast<std::uint64_t>(last - first) + 1));
    }
    int small(int first, int last) { return static_cast<int>(between(first, last)); }
    double real(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11U) * 0x1.0p-53; }
    double log_real(double low, double high) { return low * std::pow(high / low, real(0, 1)); }
    bool chance(double probability) { return real(0, 1) < probability; }
    template <typename T>
    const T& pick(const std::vector<T>& items) {
        return items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(items.size()) - 1))];
    }

private:
    std::uint64_t m_state;
};

}  // namespace metamorph::test_support

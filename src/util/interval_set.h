// A set of bytes, kept as sorted, disjoint, non-adjacent half-open intervals [begin, end).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace metamorph {

struct Interval {
    std::int64_t begin = 0, end = 0;  // half open; begin < end in a set
    std::int64_t bytes() const { return end - begin; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

class IntervalSet {
public:
    IntervalSet() = default;
    IntervalSet(std::int64_t begin, std::int64_t end) { add(begin, end); }

    void add(std::int64_t begin, std::int64_t end);  // no effect where begin >= end
    void add(const IntervalSet& other);
    // As add, in constant time: for sets that are built from their lowest byte on. `begin` must not lie before end().
    void append(std::int64_t begin, std::int64_t end);
    void subtract(std::int64_t begin, std::int64_t end);  // no effect where begin >= end
    void subtract(const IntervalSet& other);
    IntervalSet intersected(const IntervalSet& other) const;
    IntervalSet shifted(std::int64_t by) const;

    bool empty() const { return m_intervals.empty(); }
    bool contains(std::int64_t begin, std::int64_t end) const;
    bool contains(const IntervalSet& other) const;
    bool intersects(const IntervalSet& other) const;
    std::int64_t bytes() const;  // how many bytes are in the set
    std::int64_t begin() const;  // of the first interval; the set must not be empty
    std::int64_t end() const;    // of the last interval; the set must not be empty
    const std::vector<Interval>& intervals() const { return m_intervals; }
    std::string print() const;  // "[0, 64) [128, 256)", "{}" if empty

    friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

private:
    std::vector<Interval> m_intervals;
};

}  // namespace metamorph

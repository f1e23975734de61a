#include "util/interval_set.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace metamorph {

void IntervalSet::add(std::int64_t begin, std::int64_t end) {
    if (begin >= end) {
        return;
    }
    auto first = std::lower_bound(m_intervals.begin(), m_intervals.end(), begin,
                                  [](const Interval& i, std::int64_t at) { return i.end < at; });
    auto last = first;
    while (last != m_intervals.end() && last->begin <= end) {
        begin = std::min(begin, last->begin);
        end = std::max(end, last->end);
        ++last;
    }
    if (first == last) {
        m_intervals.insert(first, Interval{begin, end});
        return;
    }
    *first = Interval{begin, end};
    m_intervals.erase(first + 1, last);
}

void IntervalSet::append(std::int64_t begin, std::int64_t end) {
    if (begin >= end) {
        return;
    }
    assert(m_intervals.empty() || m_intervals.back().end <= begin);
    if (!m_intervals.empty() && m_intervals.back().end == begin) {
        m_intervals.back().end = end;
    } else {
        m_intervals.push_back({begin, end});
    }
}

void IntervalSet::add(const IntervalSet& other) {
    for (const Interval& i : other.m_intervals) {
        add(i.begin, i.end);
    }
}

void IntervalSet::subtract(std::int64_t begin, std::int64_t end) {
    if (begin < end && !m_intervals.empty() && m_intervals.front().begin < end && begin < m_intervals.back().end) {
        subtract(IntervalSet(begin, end));
    }
}

void IntervalSet::subtract(const IntervalSet& other) {
    if (!intersects(other)) {
        return;
    }
    std::vector<Interval> left;
    auto cut = other.m_intervals.begin();
    for (Interval piece : m_intervals) {
        while (cut != other.m_intervals.end() && cut->end <= piece.begin) {
            ++cut;
        }
        for (auto c = cut; c != other.m_intervals.end() && c->begin < piece.end; ++c) {
            if (piece.begin < c->begin) {
                left.push_back({piece.begin, c->begin});
            }
            piece.begin = std::max(piece.begin, c->end);
        }
        if (piece.begin < piece.end) {
            left.push_back(piece);
        }
    }
    m_intervals = std::move(left);
}

IntervalSet IntervalSet::intersected(const IntervalSet& other) const {
    IntervalSet both;
    auto a = m_intervals.begin();
    auto b = other.m_intervals.begin();
    while (a != m_intervals.end() && b != other.m_intervals.end()) {
        both.append(std::max(a->begin, b->begin), std::min(a->end, b->end));
        if (a->end < b->end) {
            ++a;
        } else {
            ++b;
        }
    }
    return both;
}

IntervalSet IntervalSet::shifted(std::int64_t by) const {
    IntervalSet moved = *this;
    for (Interval& i : moved.m_intervals) {
        i.begin += by;
        i.end += by;
    }
    return moved;
}

bool IntervalSet::contains(std::int64_t begin, std::int64_t end) const {
    if (begin >= end) {
        return true;
    }
    return std::any_of(m_intervals.begin(), m_intervals.end(),
                       [&](const Interval& i) { return i.begin <= begin && end <= i.end; });
}

bool IntervalSet::contains(const IntervalSet& other) const {
    return std::all_of(other.m_intervals.begin(), other.m_intervals.end(),
                       [&](const Interval& i) { return contains(i.begin, i.end); });
}

bool IntervalSet::intersects(const IntervalSet& other) const {
    auto a = m_intervals.begin();
    auto b = other.m_intervals.begin();
    while (a != m_intervals.end() && b != other.m_intervals.end()) {
        if (a->begin < b->end && b->begin < a->end) {
            return true;
        }
        if (a->end < b->end) {
            ++a;
        } else {
            ++b;
        }
    }
    return false;
}

std::int64_t IntervalSet::bytes() const {
    std::int64_t sum = 0;
    for (const Interval& i : m_intervals) {
        sum += i.bytes();
    }
    return sum;
}

std::int64_t IntervalSet::begin() const {
    assert(!m_intervals.empty());
    return m_intervals.front().begin;
}

std::int64_t IntervalSet::end() const {
    assert(!m_intervals.empty());
    return m_intervals.back().end;
}

std::string IntervalSet::print() const {
    if (m_intervals.empty()) {
        return "{}";
    }
    std::string text;
    for (const Interval& i : m_intervals) {
        text += fmt::format("{}[{}, {})", text.empty() ? "" : " ", i.begin, i.end);
    }
    return text;
}

}  // namespace metamorph

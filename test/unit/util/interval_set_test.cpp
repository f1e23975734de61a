// Sets of intervals against sets of numbers.
#include "util/interval_set.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace metamorph {
namespace {

using Numbers = std::set<std::int64_t>;

Numbers numbers_of(const IntervalSet& set) {
    Numbers numbers;
    std::int64_t end = -1;
    for (const Interval& i : set.intervals()) {
        EXPECT_LT(i.begin, i.end);
        EXPECT_LT(end, i.begin) << "not in order, or adjacent: " << set.print();
        end = i.end;
        for (std::int64_t at = i.begin; at < i.end; ++at) {
            numbers.insert(at);
        }
    }
    return numbers;
}

class Random {
public:
    std::int64_t below(std::int64_t limit) { return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(m_bits); }
    IntervalSet set() {
        IntervalSet set;
        for (std::int64_t count = below(6); count > 0; --count) {
            const std::int64_t begin = below(40);
            set.add(begin, begin + below(9));
        }
        return set;
    }

private:
    std::mt19937 m_bits{1};
};

TEST(IntervalSet, IsAsASetOfNumbers) {
    Random random;
    for (int round = 0; round < 2000; ++round) {
        const IntervalSet a = random.set(), b = random.set();
        const std::int64_t begin = random.below(40), end = begin + random.below(9);
        const Numbers x = numbers_of(a), y = numbers_of(b);
        Numbers both, without = x, less = x, more = x;
        for (const std::int64_t at : y) {
            without.erase(at);
            more.insert(at);
            if (x.count(at) != 0) {
                both.insert(at);
            }
        }
        for (std::int64_t at = begin; at < end; ++at) {
            less.erase(at);
        }
        IntervalSet sum = a, difference = a, shorter = a;
        sum.add(b);
        difference.subtract(b);
        shorter.subtract(begin, end);
        EXPECT_EQ(numbers_of(sum), more) << a.print() << " + " << b.print();
        EXPECT_EQ(numbers_of(difference), without) << a.print() << " - " << b.print();
        EXPECT_EQ(numbers_of(shorter), less) << a.print() << " - [" << begin << ", " << end << ")";
        EXPECT_EQ(numbers_of(a.intersected(b)), both) << a.print() << " and " << b.print();
        EXPECT_EQ(a.intersects(b), !both.empty()) << a.print() << " and " << b.print();
    }
}

TEST(IntervalSet, AppendsWhatFollows) {
    IntervalSet set;
    set.append(0, 4);
    set.append(4, 8);
    set.append(3, 3);
    set.append(10, 12);
    EXPECT_EQ(set.print(), "[0, 8) [10, 12)");
}

}  // namespace
}  // namespace metamorph

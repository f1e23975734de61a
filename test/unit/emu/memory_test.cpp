#include "emu/worker/memory.h"

#include <gtest/gtest.h>

namespace metamorph::emu {
namespace {

TEST(Marks, AReadBeforeAWriteIsToldAndNotKnown) {
    Marks marks(64);
    marks.begin_boot();
    EXPECT_FALSE(marks.read(8, 4));
    marks.write(8, 4);
    EXPECT_TRUE(marks.read(8, 4));
    EXPECT_EQ(marks.reads(), IntervalSet(8, 12));
    EXPECT_EQ(marks.writes(), IntervalSet(8, 12));
}

TEST(Marks, ReadsThatAreNotedAreThoseOfBytesThatWereNotWrittenInThePhase) {
    Marks marks(4 * Marks::k_line);
    marks.begin_boot();
    marks.write(Marks::k_line, 4);
    marks.note_read(Marks::k_line - 4, 3 * Marks::k_line);
    IntervalSet expected(Marks::k_line - 4, Marks::k_line);
    expected.add(Marks::k_line + 4, 3 * Marks::k_line);
    EXPECT_EQ(marks.reads(), expected);
    marks.begin_phase();
    EXPECT_TRUE(marks.reads().empty());
    marks.note_read(Marks::k_line, Marks::k_line + 4);
    EXPECT_EQ(marks.reads(), IntervalSet(Marks::k_line, Marks::k_line + 4)) << "written in an earlier phase";
}

TEST(Marks, AReadAfterAWriteIsNone) {
    Marks marks(64);
    marks.begin_boot();
    marks.write(8, 4);
    EXPECT_TRUE(marks.read(8, 4));
    EXPECT_TRUE(marks.reads().empty());
}

TEST(Marks, OneUnknownByteIsEnough) {
    Marks marks(64);
    marks.begin_boot();
    marks.write(0, 3);
    EXPECT_TRUE(marks.read(0, 3));
    EXPECT_FALSE(marks.read(0, 4));
    EXPECT_EQ(marks.reads(), IntervalSet(3, 4)) << "only the byte that was not written";
}

TEST(Marks, PhasesAreSeenApartAndWritesStayKnownInABoot) {
    Marks marks(64);
    marks.begin_boot();
    marks.write(0, 4);
    marks.begin_phase();
    EXPECT_TRUE(marks.writes().empty());
    EXPECT_TRUE(marks.is_written(0));
    EXPECT_TRUE(marks.read(0, 2));
    EXPECT_EQ(marks.reads(), IntervalSet(0, 2)) << "this phase read it before writing it";
    marks.begin_phase();
    EXPECT_TRUE(marks.reads().empty());
}

TEST(Marks, ABootForgetsWhatWasWritten) {
    Marks marks(64);
    marks.begin_boot();
    marks.write(0, 4);
    marks.begin_phase();
    marks.begin_phase();
    marks.begin_boot();
    EXPECT_FALSE(marks.is_written(0));
    EXPECT_FALSE(marks.read(0, 1));
}

TEST(Marks, WhatIsForgottenCountsAsNeverWritten) {
    Marks marks(64);
    marks.begin_boot();
    marks.write(0, 16);
    marks.forget(4, 8);
    EXPECT_TRUE(marks.is_written(3));
    EXPECT_FALSE(marks.is_written(4));
    EXPECT_FALSE(marks.is_written(7));
    EXPECT_TRUE(marks.is_written(8));
    IntervalSet left(0, 4);
    left.add(8, 16);
    EXPECT_EQ(marks.writes(), left);
    EXPECT_FALSE(marks.read(0, 8));
    EXPECT_TRUE(marks.read(8, 8));
}

TEST(Marks, ForgettingCrossesLinesAndUntouchedOnes) {
    Marks marks(4 * Marks::k_line);
    marks.begin_boot();
    marks.write(Marks::k_line - 2, 2);
    marks.write(3 * Marks::k_line, 2);
    marks.begin_phase();
    marks.forget(Marks::k_line - 1, 3 * Marks::k_line + 1);
    EXPECT_TRUE(marks.is_written(Marks::k_line - 2));
    EXPECT_FALSE(marks.is_written(Marks::k_line - 1));
    EXPECT_FALSE(marks.is_written(3 * Marks::k_line));
    EXPECT_TRUE(marks.is_written(3 * Marks::k_line + 1));
}

TEST(Marks, AccessesAcrossLineBordersAreOneInterval) {
    Marks marks(3 * Marks::k_line);
    marks.begin_boot();
    marks.read(Marks::k_line - 2, 4);
    marks.write(2 * Marks::k_line - 1, 2);
    EXPECT_EQ(marks.reads(), IntervalSet(Marks::k_line - 2, Marks::k_line + 2));
    EXPECT_EQ(marks.writes(), IntervalSet(2 * Marks::k_line - 1, 2 * Marks::k_line + 1));
}

TEST(Marks, IntervalsEndAtAnUntouchedLine) {
    Marks marks(4 * Marks::k_line);
    marks.begin_boot();
    marks.write(0, Marks::k_line);  // all of the first
    marks.write(2 * Marks::k_line, 1);
    IntervalSet expected(0, Marks::k_line);
    expected.add(2 * Marks::k_line, 2 * Marks::k_line + 1);
    EXPECT_EQ(marks.writes(), expected);
}

TEST(Marks, TheLastByteOfAMemoryThatIsNoWholeLines) {
    Marks marks(Marks::k_line + 10);
    marks.begin_boot();
    marks.write(Marks::k_line + 9, 1);
    marks.read(0, 1);
    EXPECT_EQ(marks.writes(), IntervalSet(Marks::k_line + 9, Marks::k_line + 10));
    EXPECT_EQ(marks.reads(), IntervalSet(0, 1));
}

TEST(Marks, AgreeWithASlowModelOnAThousandAccesses) {
    constexpr std::uint32_t k_bytes = 3 * Marks::k_line;
    Marks marks(k_bytes);
    marks.begin_boot();
    std::vector<char> written(k_bytes), phase_written(k_bytes), phase_read(k_bytes);
    std::uint32_t x = 1;
    const auto next = [&] { return (x = x * 1664525U + 1013904223U) >> 8; };
    for (int i = 0; i < 1000; ++i) {
        const std::uint32_t bytes = 1U << next() % 3, at = next() % (k_bytes - bytes);
        const bool is_write = next() % 2 == 0;
        bool is_known = true;
        for (std::uint32_t b = at; b < at + bytes; ++b) {
            is_known = is_known && written[b] != 0;
            if (is_write) {
                written[b] = phase_written[b] = 1;
            } else if (phase_written[b] == 0) {
                phase_read[b] = 1;
            }
        }
        if (is_write) {
            marks.write(at, bytes);
        } else {
            ASSERT_EQ(marks.read(at, bytes), is_known) << "access " << i;
        }
        if (i % 100 != 99) {
            continue;
        }
        IntervalSet reads, writes;
        for (std::uint32_t b = 0; b < k_bytes; ++b) {
            reads.add(b, b + phase_read[b]);
            writes.add(b, b + phase_written[b]);
        }
        ASSERT_EQ(marks.reads(), reads) << "access " << i;
        ASSERT_EQ(marks.writes(), writes) << "access " << i;
        marks.begin_phase();
        phase_read.assign(k_bytes, 0);
        phase_written.assign(k_bytes, 0);
    }
}

TEST(Bytes, AreWholePagesOfZeros) {
    const Bytes bytes(k_page + 1);
    EXPECT_EQ(bytes.size(), 2 * k_page);
    EXPECT_EQ(Bytes(0).size(), k_page);
    EXPECT_TRUE(std::all_of(bytes.data(), bytes.data() + bytes.size(), [](std::uint8_t b) { return b == 0; }));
}

TEST(IntervalSet, AppendsAtItsEndAndJoinsNeighbours) {
    IntervalSet set;
    set.append(4, 8);
    set.append(8, 10);
    set.append(10, 10);
    set.append(12, 13);
    EXPECT_EQ(set.print(), "[4, 10) [12, 13)");
    IntervalSet added(4, 10);
    added.add(12, 13);
    EXPECT_EQ(set, added);
}

TEST(IntervalSet, AppendingNothingToNothing) {
    IntervalSet set;
    set.append(3, 3);
    EXPECT_TRUE(set.empty());
}

#ifndef NDEBUG
TEST(IntervalSetDeathTest, AppendRefusesWhatLiesBefore) {
    IntervalSet set(4, 8);
    EXPECT_DEATH(set.append(7, 9), "end <= begin");
}
#endif

}  // namespace
}  // namespace metamorph::emu

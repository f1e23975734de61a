#include "tasks/liveness.h"

#include <gtest/gtest.h>

#include "unit/tasks/sample_model.h"

namespace metamorph::tasks {
namespace {

constexpr int k_in = SampleModel::k_in, k_out = SampleModel::k_out, k_arena = SampleModel::k_arena;

TEST(Liveness, WholeNetworkCrossesOnlyInputAndOutput) {
    SampleModel m = reusing();
    const Liveness l = analyse_liveness(m.chain({4}));
    EXPECT_EQ(l.crossing_bytes, 16 + 4);
    EXPECT_TRUE(l.write_after_reads.empty());
}

TEST(Liveness, LayerByLayerCrossesEveryValueOnce) {
    SampleModel m = reusing();
    EXPECT_EQ(analyse_liveness(m.chain({1, 1, 1, 1})).crossing_bytes, 16 + 64 + 32 + 32 + 4);
}

TEST(Liveness, OnlyLiveBytesCross) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 64}});
    m.step("f1", {{k_arena, 8, 16}}, {{k_out, 0, 4}});  // needs 16 of the 64
    EXPECT_EQ(analyse_liveness(m.chain({1, 1})).crossing_bytes, 16 + 16 + 4);
}

TEST(Liveness, ResidualIsCountedOnceAcrossTwoBoundaries) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 32}});
    m.step("f1", {{k_arena, 0, 32}}, {{k_arena, 32, 32}});
    m.step("add", {{k_arena, 0, 32}, {k_arena, 32, 32}}, {{k_out, 0, 4}});
    const Liveness l = analyse_liveness(m.chain({1, 1, 1}));
    EXPECT_EQ(l.crossing_bytes, 16 + 32 + 32 + 4);
    const auto residual = std::find_if(l.generations.begin(), l.generations.end(),
                                       [](const Generation& g) { return g.use_tasks.size() == 2; });
    ASSERT_NE(residual, l.generations.end());
    EXPECT_EQ(residual->use_tasks, (std::vector<int>{2, 3}));
}

TEST(Liveness, FindsTheArenaReusedInsideOneTask) {
    SampleModel m = reusing();
    const Liveness l = analyse_liveness(m.chain({1, 2, 1}));  // f1 reads a[0,64) of task 1; f2 overwrites a[0,32)
    ASSERT_EQ(l.write_after_reads.size(), 1U);
    EXPECT_EQ(l.write_after_reads[0].task, 2);
    EXPECT_EQ(l.write_after_reads[0].bytes, IntervalSet(0, 32));
    EXPECT_EQ(l.write_after_reads[0].read_step, 2);
    EXPECT_EQ(l.write_after_reads[0].write_step, 3);
}

// f1 uses bytes that f0 used as its temporary; read back, what f0 left there does not matter.
SampleModel with_temporaries(bool read_back) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 32}, {k_arena, 64, 16}});
    m.step("f1", {{k_arena, 0, 32}}, {{k_arena, 32, 32}, {k_arena, 64, 24}});
    cfront::Access& temporary = m.accesses().back();
    temporary.reads = temporary.writes;
    temporary.written_once = {};
    if (read_back) {
        temporary.read_back = temporary.reads;
    }
    m.step("f2", {{k_arena, 32, 32}}, {{k_out, 0, 4}});
    return m;
}

TEST(Liveness, WhatAStepReadsBehindItsOwnWritesDoesNotCross) {
    SampleModel m = with_temporaries(true);
    const Liveness l = analyse_liveness(m.chain({1, 1, 1}));
    EXPECT_EQ(l.crossing_bytes, 16 + 32 + 32 + 4);
    EXPECT_TRUE(l.write_after_reads.empty());
    SampleModel cautious = with_temporaries(false);
    EXPECT_EQ(analyse_liveness(cautious.chain({1, 1, 1})).crossing_bytes, 16 + 32 + 16 + 32 + 4);
}

TEST(Liveness, AStaticTemporaryIsNoState) {
    SampleModel m(16, 4, 96);
    const int scratch = m.add_variable("scratch", 8, true);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 32}, {scratch, 0, 8}});
    m.accesses().back().reads = m.accesses().back().read_back = IntervalSet(0, 8);
    m.accesses().back().written_once = {};
    m.step("f1", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    const Liveness l = analyse_liveness(m.chain({1, 1}));
    EXPECT_TRUE(l.states.empty());
    EXPECT_EQ(l.crossing_bytes, 16 + 32 + 4);
}

TEST(Liveness, MayWriteKeepsTheOldBytesAlive) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 32}});
    m.step("f1", {}, {{k_arena, 0, 32}});
    m.accesses().back().must_writes = m.accesses().back().written_once = {};
    m.step("f2", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    const Liveness l = analyse_liveness(m.chain({1, 1, 1}));
    EXPECT_EQ(l.crossing_bytes, 16 + 32 + 32 + 4);  // from f0 to f1, which may keep them, and from f1 to f2
}

TEST(Liveness, StateBetweenInferencesIsFoundAndScratchIsNot) {
    SampleModel m(16, 4, 96);
    const int count = m.add_variable("count", 4);
    const int scratch = m.add_variable("scratch", 8);
    m.step("f0", {{k_in, 0, 16}, {count, 0, 4}}, {{k_arena, 0, 32}, {count, 0, 4}, {scratch, 0, 8}});
    m.step("f1", {{k_arena, 0, 32}, {scratch, 0, 8}}, {{k_out, 0, 4}});
    const Liveness l = analyse_liveness(m.chain({1, 1}));
    ASSERT_EQ(l.states.size(), 1U);
    EXPECT_EQ(l.segments[static_cast<std::size_t>(l.states[0].segment)].object, count);
    EXPECT_EQ(l.states[0].read_tasks, (std::vector<int>{1}));
    EXPECT_EQ(l.states[0].write_tasks, (std::vector<int>{1}));
    EXPECT_EQ(l.crossing_bytes, 16 + 32 + 8 + 4 + 4);
}

TEST(Liveness, StateWrittenAfterItsLastReadStaysAliveIntoTheNextInference) {
    SampleModel m(16, 4, 96);
    const int last = m.add_variable("last", 4);
    m.step("f0", {{k_in, 0, 16}, {last, 0, 4}}, {{k_arena, 0, 32}});
    m.step("f1", {{k_arena, 0, 32}}, {{k_out, 0, 4}, {last, 0, 4}});
    const Liveness l = analyse_liveness(m.chain({1, 1}));
    ASSERT_EQ(l.states.size(), 1U);
    EXPECT_EQ(l.states[0].read_tasks, (std::vector<int>{1}));
    EXPECT_EQ(l.states[0].write_tasks, (std::vector<int>{2}));
}

TEST(Liveness, BoundaryBytes) {
    SampleModel m = reusing();
    const auto bytes = boundary_bytes(m.model(), {Role::input, Role::output, Role::arena});
    EXPECT_EQ(bytes[0], 64);
    EXPECT_EQ(bytes[1], 32);
    EXPECT_EQ(bytes[2], 32);
}

}  // namespace
}  // namespace metamorph::tasks

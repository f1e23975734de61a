// What happens to a plan when the SRAM images do not fit.
#include "tasks/fit_sram.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "unit/tasks/sample_model.h"

namespace metamorph::tasks {
namespace {

constexpr int k_in = SampleModel::k_in, k_out = SampleModel::k_out, k_arena = SampleModel::k_arena;

std::vector<Variable> scratch_of(const TaskPlan& plan) {
    std::vector<Variable> scratch;
    std::copy_if(plan.variables.begin(), plan.variables.end(), std::back_inserter(scratch),
                 [](const Variable& v) { return v.placement == Placement::nvm_scratch; });
    return scratch;
}

// Whatever is alive in one task together has bytes of its own. Two values of scratch may share theirs, one after the
// other: homes_test.cpp.
void expect_homes_apart(const TaskPlan& plan) {
    for (const Variable& a : plan.variables) {
        for (const Variable& b : plan.variables) {
            const bool are_scratch = a.placement == Placement::nvm_scratch && b.placement == Placement::nvm_scratch;
            if (&a == &b || are_scratch || a.home < 0 || b.home < 0 || a.first_task > b.last_task ||
                b.first_task > a.last_task) {
                continue;
            }
            const std::int64_t a_end = a.home + a.bytes.end() - a.bytes.begin();
            const std::int64_t b_end = b.home + b.bytes.end() - b.bytes.begin();
            EXPECT_TRUE(a_end <= b.home || b_end <= a.home) << a.bytes.print() << " and " << b.bytes.print();
        }
        EXPECT_LE(a.home + a.bytes.end() - a.bytes.begin(), plan.nvm_bytes);
    }
}

// in → arena[0,64) → arena[64,96) → out
SampleModel two_values() {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 64}});
    m.step("f1", {{k_arena, 0, 64}}, {{k_arena, 64, 32}});
    m.step("f2", {{k_arena, 64, 32}}, {{k_out, 0, 4}});
    return m;
}

TEST(FitSram, WhatFitsStaysAsItWas) {
    SampleModel m = reusing();
    const Chain chain = m.chain({4});
    const TaskPlan free = plan_tasks(chain, NvmMode::mapped).value();
    const TaskPlan limited = plan_tasks(chain, NvmMode::mapped, 96).value();
    EXPECT_EQ(limited.sram_bytes, free.sram_bytes);
    EXPECT_EQ(limited.nvm_bytes, free.nvm_bytes);
    EXPECT_TRUE(scratch_of(limited).empty());
}

TEST(FitSram, TheLargestValueMovesAndSaysWhy) {
    SampleModel m = two_values();
    const Chain chain = m.chain({3});
    const TaskPlan plan = plan_tasks(chain, NvmMode::mapped, 40).value();
    const std::vector<Variable> scratch = scratch_of(plan);
    ASSERT_EQ(scratch.size(), 1U);
    EXPECT_EQ(scratch[0].bytes, IntervalSet(0, 64));
    EXPECT_NE(scratch[0].reason.find("96 B"), std::string::npos) << scratch[0].reason;
    EXPECT_NE(scratch[0].reason.find("40 B"), std::string::npos) << scratch[0].reason;
    EXPECT_GE(scratch[0].home, k_nvm_header_bytes);
    EXPECT_EQ(plan.data_bytes_written, plan.crossing_bytes) << "scratch is not saved";
    expect_homes_apart(plan);
    // What stays begins its image: its pointers do not count from the arena's start any more.
    EXPECT_EQ(plan.sram_bytes.at(k_arena), 32);
    EXPECT_FALSE(plan.pointers.at({3, 0}).in_nvm);
    EXPECT_EQ(plan.pointers.at({3, 0}).at, 0);
    EXPECT_TRUE(plan.pointers.at({2, 0}).in_nvm);
    EXPECT_EQ(plan.pointers.at({2, 0}).at, scratch[0].home);
}

TEST(FitSram, WhatTurnsOutToFitComesBack) {
    SampleModel m = reusing();
    const TaskPlan plan = plan_tasks(m.chain({4}), NvmMode::mapped, 64).value();
    const std::vector<Variable> scratch = scratch_of(plan);
    ASSERT_EQ(scratch.size(), 1U) << "moving arena[64,96) alone is enough, though it is not the largest";
    EXPECT_EQ(scratch[0].bytes, IntervalSet(64, 96));
    EXPECT_EQ(plan.sram_bytes.at(k_arena), 64);
}

TEST(FitSram, WithoutAnySramEverythingMoves) {
    SampleModel m = reusing();
    for (const std::vector<int>& layers : std::vector<std::vector<int>>{{4}, {2, 2}, {1, 2, 1}, {3, 1}}) {
        const TaskPlan plan = plan_tasks(m.chain(layers), NvmMode::mapped, 0).value();
        EXPECT_TRUE(plan.sram_bytes.empty());
        expect_homes_apart(plan);
        const std::vector<Variable> scratch = scratch_of(plan);
        for (std::size_t i = 1; i < scratch.size(); ++i) {
            if (scratch[i].writer_step != scratch[i - 1].writer_step + 1) {
                continue;  // not made of the one before
            }
            const std::int64_t end = scratch[i - 1].home + scratch[i - 1].bytes.bytes();
            EXPECT_TRUE(end <= scratch[i].home || scratch[i].home + scratch[i].bytes.bytes() <= scratch[i - 1].home);
        }
        for (const auto& [at, pointer] : plan.pointers) {
            EXPECT_TRUE(pointer.in_nvm) << "step " << at.first;
            EXPECT_LT(pointer.at, plan.nvm_bytes);
        }
    }
}

TEST(FitSram, BehindABusNothingMoves) {
    SampleModel m = reusing();
    const Chain chain = m.chain({4});
    const TaskPlan plan = plan_tasks(chain, NvmMode::bus, 0).value();
    EXPECT_TRUE(scratch_of(plan).empty());
    EXPECT_EQ(plan.sram_bytes, plan_tasks(chain, NvmMode::bus)->sram_bytes);
}

// A copy in SRAM that only saved writes is given up; then nothing is copied any more.
TEST(FitSram, AValueOfWhichPartCrossesMovesWhole) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 64}});
    m.step("f1", {{k_arena, 8, 16}}, {{k_out, 0, 4}});
    const Chain chain = m.chain({1, 1});
    EXPECT_EQ(plan_tasks(chain, NvmMode::mapped)->tasks[1].commit.size(), 1U);
    const TaskPlan plan = plan_tasks(chain, NvmMode::mapped, 0).value();
    for (const PlannedTask& task : plan.tasks) {
        EXPECT_TRUE(task.commit.empty() && task.fetch.empty());
    }
    EXPECT_EQ(plan.data_bytes_written, plan.crossing_bytes + 48) << "the 48 bytes that do not cross are written, too";
    const auto moved = std::find_if(plan.variables.begin(), plan.variables.end(),
                                    [](const Variable& v) { return v.object == k_arena; });
    ASSERT_NE(moved, plan.variables.end());
    EXPECT_EQ(moved->placement, Placement::nvm_in_place);
    EXPECT_NE(moved->reason.find("48 of the 64 bytes"), std::string::npos) << moved->reason;
    EXPECT_NE(moved->reason.find("SRAM images would take 64 B"), std::string::npos) << moved->reason;
}

// A value that its task replaces must not be worked on in NVM, however little SRAM there is.
TEST(FitSram, WhatIsOnlySafeInSramStaysThere) {
    SampleModel m(16, 4, 160);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 64, 32}});
    m.step("f1", {{k_arena, 64, 32}}, {{k_arena, 0, 64}});
    m.step("relu_in_place", {{k_arena, 64, 32}}, {});
    m.accesses().back().writes = m.accesses().back().must_writes = IntervalSet(64, 96);
    m.step("f3", {{k_arena, 0, 64}, {k_arena, 64, 32}}, {{k_arena, 96, 32}});
    m.step("f4", {{k_arena, 96, 32}}, {{k_out, 0, 4}});
    const Chain chain = m.chain({1, 3, 1});
    const TaskPlan plan = plan_tasks(chain, NvmMode::mapped, 0).value();
    EXPECT_EQ(plan.sram_bytes.at(k_arena), 32);
    ASSERT_EQ(plan.tasks[2].fetch.size(), 1U);
    EXPECT_EQ(plan.tasks[2].fetch[0].offset, 0) << "the image begins at arena[64]";
    EXPECT_EQ(plan.tasks[1].commit.at(0).offset, 0);
    ASSERT_EQ(scratch_of(plan).size(), 1U);
    EXPECT_EQ(scratch_of(plan)[0].bytes, IntervalSet(0, 64));
    expect_homes_apart(plan);
}

}  // namespace
}  // namespace metamorph::tasks

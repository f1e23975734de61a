#include <set>

#include <gtest/gtest.h>

#include "tasks/task_plan.h"
#include "unit/tasks/sample_model.h"

namespace metamorph::tasks {
namespace {

constexpr int k_in = SampleModel::k_in, k_out = SampleModel::k_out, k_arena = SampleModel::k_arena;

// NVM bytes that a task reads from where, and writes: what re-execution depends on.
struct Footprint {
    IntervalSet reads, writes;
};

Footprint footprint(const Chain& chain, const TaskPlan& plan, int task) {
    Footprint f;
    const PlannedTask& planned = plan.tasks[static_cast<std::size_t>(task)];
    for (const Transfer& t : planned.fetch) {
        f.reads.add(t.home, t.home + t.bytes);
    }
    for (const Transfer& t : planned.commit) {
        f.writes.add(t.home, t.home + t.bytes);
    }
    for (int s = planned.first_step; s <= planned.last_step; ++s) {
        for (const ChainAccess& a : chain.steps[static_cast<std::size_t>(s)].accesses) {
            const auto at = plan.pointers.find({s, a.argument});
            if (at == plan.pointers.end() || !at->second.in_nvm) {
                continue;
            }
            const ChainStep& step = chain.steps[static_cast<std::size_t>(s)];
            const std::int64_t offset = step.entry_step < 0
                                            ? 0
                                            : chain.model->entry.steps[static_cast<std::size_t>(step.entry_step)]
                                                  .arguments[static_cast<std::size_t>(a.argument)]
                                                  .offset;
            f.reads.add(a.reads.shifted(at->second.at - offset));
            f.writes.add(a.writes.shifted(at->second.at - offset));
        }
    }
    return f;
}

// No task writes NVM that it reads: running it again from the start gives the same. Double-buffered state is the
// exception that the commit record switches.
void expect_idempotent(const Chain& chain, const TaskPlan& plan) {
    for (int t = 0; t < chain.tasks(); ++t) {
        const Footprint f = footprint(chain, plan, t);
        EXPECT_FALSE(f.reads.intersects(f.writes))
            << "task " << t << " reads " << f.reads.print() << " writes " << f.writes.print();
        if (!f.writes.empty()) {
            EXPECT_GE(f.writes.begin(), k_nvm_header_bytes);
            EXPECT_LE(f.writes.end(), plan.nvm_bytes);
        }
    }
}

TEST(Plan, MappedWorksInPlaceAndResolvesTheReusedArena) {
    SampleModel m = reusing();
    for (const std::vector<int>& layers : std::vector<std::vector<int>>{{4}, {1, 1, 1, 1}, {2, 2}, {1, 2, 1}, {3, 1}}) {
        const Chain chain = m.chain(layers);
        const TaskPlan plan = plan_tasks(chain, NvmMode::mapped).value();
        expect_idempotent(chain, plan);
        EXPECT_EQ(plan.data_bytes_written, plan.crossing_bytes);
        for (const PlannedTask& task : plan.tasks) {
            EXPECT_TRUE(task.fetch.empty());
            EXPECT_TRUE(task.commit.empty());
        }
    }
    EXPECT_EQ(plan_tasks(m.chain({1, 2, 1}), NvmMode::mapped)->write_after_reads.size(), 1U);
}

// A call through a pointer of unknown origin may reach the output, which no argument points to: both are copied from
// and to an image in SRAM, which has to be there although the output itself is written in place.
TEST(Plan, WhatACallMayReachWithoutBeingGivenItHasAnImage) {
    SampleModel m(16, 8, 32);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 32}});
    m.step("anywhere", {{k_arena, 0, 32}}, {{k_arena, 0, 32}});
    cfront::Access anywhere;
    anywhere.object = k_out;
    anywhere.reads = anywhere.writes = IntervalSet(0, 8);
    m.accesses().push_back(anywhere);
    m.step("anywhere", {{k_arena, 0, 32}}, {{k_arena, 0, 32}});
    m.accesses().push_back(anywhere);
    m.step("f3", {{k_arena, 0, 32}}, {{k_out, 0, 8}});
    for (const std::vector<int>& layers : std::vector<std::vector<int>>{{1, 1, 1, 1}, {2, 2}}) {
        for (const NvmMode mode : {NvmMode::mapped, NvmMode::bus}) {
            const TaskPlan plan = plan_tasks(m.chain(layers), mode).value();
            std::set<int> copied;
            for (const PlannedTask& task : plan.tasks) {
                for (const auto& transfers : {task.fetch, task.commit}) {
                    for (const Transfer& transfer : transfers) {
                        ASSERT_EQ(plan.sram_bytes.count(transfer.object), 1U) << transfer.object;
                        EXPECT_LE(transfer.offset + transfer.bytes, plan.sram_bytes.at(transfer.object));
                        copied.insert(transfer.object);
                    }
                }
            }
            EXPECT_EQ(copied.count(k_out), 1U);
        }
    }
}

TEST(Plan, WholeNetworkKeepsIntermediatesInSram) {
    SampleModel m = reusing();
    const TaskPlan plan = plan_tasks(m.chain({4}), NvmMode::mapped).value();
    EXPECT_EQ(plan.sram_bytes.at(k_arena), 96);
    EXPECT_EQ(plan.sram_bytes.count(k_in), 0U);
    EXPECT_EQ(plan.crossing_bytes, 20);
}

TEST(Plan, LayerByLayerNeedsNoArenaInSram) {
    SampleModel m = reusing();
    EXPECT_EQ(plan_tasks(m.chain({1, 1, 1, 1}), NvmMode::mapped)->sram_bytes.count(k_arena), 0U);
}

TEST(Plan, BusFetchesOnceAfterAReboot) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 32}});
    m.step("f1", {{k_arena, 0, 32}}, {{k_arena, 32, 32}});
    m.step("add", {{k_arena, 0, 32}, {k_arena, 32, 32}}, {{k_out, 0, 4}});
    const Chain chain = m.chain({1, 1, 1});
    const TaskPlan plan = plan_tasks(chain, NvmMode::bus).value();
    expect_idempotent(chain, plan);
    EXPECT_EQ(plan.data_bytes_written, plan.crossing_bytes);
    ASSERT_EQ(plan.tasks[3].fetch.size(), 2U);  // the residual, last in SRAM since task 2, and f1's result
    EXPECT_EQ(plan.tasks[3].fetch[0].since, 2);
    EXPECT_EQ(plan.tasks[3].fetch[1].since, 2);
    EXPECT_EQ(plan.tasks[2].fetch[0].since, 1);
}

// Task 1 leaves 96 bytes; task 2 reads all, task 3 each second run of `run` bytes.
TaskPlan alternating(std::int64_t run, bool rewrites) {
    SampleModel m(16, 4, 160);
    m.step("all", {{k_in, 0, 16}}, {{k_arena, 0, 96}});
    m.step("dense", {{k_arena, 0, 96}}, {{k_arena, 128, 32}});
    if (rewrites) {
        cfront::Access again;
        again.object = k_arena;
        again.writes = IntervalSet(run, 96);
        for (std::int64_t at = 0; at < 96; at += 2 * run) {
            again.writes.subtract(at, at + run);
        }
        m.accesses().push_back(again);
    }
    m.step("strided", {{k_arena, 128, 32}}, {{k_out, 0, 4}});
    cfront::Access strided;
    strided.object = k_arena;
    for (std::int64_t at = 0; at < 96; at += 2 * run) {
        strided.reads.add(at, at + run);
    }
    m.accesses().push_back(strided);
    const Chain chain = m.chain({1, 1, 1});
    TaskPlan plan = plan_tasks(chain, NvmMode::bus).value();
    expect_idempotent(chain, plan);
    EXPECT_EQ(plan.data_bytes_written, plan.crossing_bytes);
    return plan;
}

TEST(Plan, AlternatingReadersShareATransfer) {
    const TaskPlan plan = alternating(8, false);
    EXPECT_EQ(plan.tasks[1].commit.size(), 1U);
    EXPECT_EQ(plan.tasks[2].fetch.size(), 1U);
    ASSERT_EQ(plan.tasks[3].fetch.size(), 2U);  // and what task 2 leaves
    std::int64_t fetched = 0;
    for (const Transfer& fetch : plan.tasks[3].fetch) {
        EXPECT_EQ(fetch.since, 2);
        fetched += fetch.bytes;
    }
    EXPECT_EQ(fetched, 96 + 32);
}

TEST(Plan, NeighboursThatWouldCostTooMuchToFetchStayApart) {
    EXPECT_EQ(alternating(48, false).tasks[1].commit.size(), 1U);
    SampleModel m(16, 4, 160);
    m.step("all", {{k_in, 0, 16}}, {{k_arena, 0, 96}});
    m.step("dense", {{k_arena, 0, 96}}, {{k_arena, 128, 32}});
    m.step("few", {{k_arena, 128, 32}, {k_arena, 0, 16}}, {{k_out, 0, 4}});
    EXPECT_EQ(plan_tasks(m.chain({1, 1, 1}), NvmMode::bus)->tasks[1].commit.size(), 2U);
}

// Fetched again, the old bytes would come over the new.
TEST(Plan, WhatIsRewrittenBeforeTheLastReaderIsNotFetchedAgain) {
    const TaskPlan plan = alternating(8, true);
    EXPECT_EQ(plan.tasks[1].commit.size(), 12U);
    EXPECT_EQ(plan.tasks[3].fetch.size(), 7U);
}

TEST(Plan, ValueUpdatedInPlaceGetsTwoHomes) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 32}});
    m.step("relu_in_place", {{k_arena, 0, 32}}, {});
    cfront::Access& access = m.accesses().back();
    access.writes = access.must_writes = IntervalSet(0, 32);  // the argument is read and written
    m.step("f2", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    for (NvmMode mode : {NvmMode::mapped, NvmMode::bus}) {
        const Chain chain = m.chain({1, 1, 1});
        const TaskPlan plan = plan_tasks(chain, mode).value();
        expect_idempotent(chain, plan);
        EXPECT_TRUE(std::any_of(plan.variables.begin(), plan.variables.end(),
                                [](const Variable& v) { return v.placement == Placement::double_buffered; }));
        EXPECT_EQ(plan.write_after_reads.size(), 1U);
    }
}

TEST(Plan, SaysWhyAValueIsNotInPlace) {
    SampleModel m(16, 4, 96);
    m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, 64}});
    m.step("f1", {{k_arena, 8, 16}}, {{k_out, 0, 4}});
    const TaskPlan plan = plan_tasks(m.chain({1, 1}), NvmMode::mapped).value();
    const auto value = std::find_if(plan.variables.begin(), plan.variables.end(),
                                    [](const Variable& v) { return v.object == k_arena; });
    ASSERT_NE(value, plan.variables.end());
    EXPECT_EQ(value->placement, Placement::nvm_with_sram_copy);
    EXPECT_EQ(value->bytes, IntervalSet(8, 24));
    EXPECT_NE(value->reason.find("48 of the 64 bytes"), std::string::npos) << value->reason;
}

// Two tasks fill one value, which a third reads: in place, unless a write unit has bytes of both.
TEST(Plan, TwoTasksNeverWriteIntoOneWriteUnit) {
    for (const std::int64_t boundary : {16, 24}) {
        SampleModel m(16, 4, 96);
        m.step("f0", {{k_in, 0, 16}}, {{k_arena, 0, boundary}});
        m.step("f1", {{k_in, 0, 16}}, {{k_arena, boundary, 48 - boundary}});
        m.step("concatenated", {{k_arena, 0, 48}}, {{k_out, 0, 4}});
        const Chain chain = m.chain({1, 1, 1});
        for (const std::int64_t unit : {1, 8, 16}) {
            const TaskPlan plan =
                plan_tasks(chain, NvmMode::mapped, std::numeric_limits<std::int64_t>::max(), unit).value();
            expect_idempotent(chain, plan);
            EXPECT_EQ(plan.data_bytes_written, plan.crossing_bytes);
            const bool is_in_place = plan.sram_bytes.count(k_arena) == 0;
            EXPECT_EQ(is_in_place, boundary % unit == 0) << boundary << " in units of " << unit;
            if (is_in_place) {
                continue;
            }
            ASSERT_EQ(plan.tasks[1].commit.size(), 1U);
            ASSERT_EQ(plan.tasks[2].commit.size(), 1U);
            const Transfer &first = plan.tasks[1].commit[0], &second = plan.tasks[2].commit[0];
            EXPECT_TRUE((first.home + first.bytes - 1) / unit < second.home / unit ||
                        (second.home + second.bytes - 1) / unit < first.home / unit);
            const TaskPlan without_sram = plan_tasks(chain, NvmMode::mapped, 0, unit).value();
            EXPECT_EQ(without_sram.sram_bytes.count(k_arena), 1U) << "want of SRAM does not make it safe";
        }
    }
}

TEST(Plan, StateIsDoubleBufferedAndSavedAtTheFirstBoot) {
    SampleModel m(16, 4, 96);
    const int count = m.add_variable("count", 4);
    m.step("f0", {{k_in, 0, 16}, {count, 0, 4}}, {{k_arena, 0, 32}, {count, 0, 4}});
    m.step("f1", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    const TaskPlan plan = plan_tasks(m.chain({1, 1}), NvmMode::mapped).value();
    ASSERT_EQ(plan.initial.size(), 1U);
    EXPECT_EQ(plan.initial[0].object, count);
    EXPECT_EQ(plan.tasks[1].flips, 1U);
    ASSERT_EQ(plan.tasks[1].commit.size(), 1U);
    EXPECT_EQ(plan.tasks[1].commit[0].buffer, 0);
    EXPECT_GE(plan.tasks[1].commit[0].stride, 4);
    EXPECT_EQ(plan.tasks[1].fetch[0].since, -1);
}

TEST(Plan, StaticStateIsRefusedWithItsPlace) {
    SampleModel m(16, 4, 96);
    const int count = m.add_variable("count", 4, true);
    m.step("f0", {{k_in, 0, 16}, {count, 0, 4}}, {{k_out, 0, 4}, {count, 0, 4}});
    const auto plan = plan_tasks(m.chain({1}), NvmMode::mapped);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().code, ErrorCode::model);
    EXPECT_EQ(plan.error().where, "net.c:7");
    EXPECT_NE(plan.error().message.find("'count'"), std::string::npos);
}

TEST(Chain, WrongSumOfLayers) {
    SampleModel m = reusing();
    const auto chain = make_chain(m.model(), {Role::input, Role::output, Role::arena}, {1, 2});
    ASSERT_FALSE(chain.has_value());
    EXPECT_EQ(chain.error().code, ErrorCode::options);
    EXPECT_NE(chain.error().message.find("sum up to 3"), std::string::npos);
}

TEST(Chain, UnknownExtentOfTheInput) {
    SampleModel m = reusing();
    m.model().entry.objects[0].bytes.reset();
    const auto chain = make_chain(m.model(), {Role::input, Role::output, Role::arena}, {4});
    ASSERT_FALSE(chain.has_value());
    EXPECT_EQ(chain.error().code, ErrorCode::model);
    EXPECT_NE(chain.error().message.find("'in'"), std::string::npos);
}

TEST(Chain, LocalOfTheEntryIsRefused) {
    SampleModel m = reusing();
    m.model().entry.objects.push_back({cfront::ObjectKind::entry_local, "scratch", "float", 4, 64, false, -1, -1});
    const auto chain = make_chain(m.model(), {Role::input, Role::output, Role::arena}, {4});
    ASSERT_FALSE(chain.has_value());
    EXPECT_EQ(chain.error().code, ErrorCode::model);
    EXPECT_NE(chain.error().message.find("'scratch'"), std::string::npos);
}

}  // namespace
}  // namespace metamorph::tasks

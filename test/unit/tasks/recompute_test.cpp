#include "tasks/recompute.h"

#include <gtest/gtest.h>

#include "tasks/classify.h"
#include "tasks/liveness.h"
#include "unit/tasks/sample_model.h"

namespace metamorph::tasks {
namespace {

constexpr int k_in = SampleModel::k_in, k_out = SampleModel::k_out, k_arena = SampleModel::k_arena;

// "task: step step | task: …", without the runtime's own.
std::string print(const Chain& chain) {
    std::string text;
    for (std::size_t s = 0; s < chain.steps.size(); ++s) {
        if (chain.steps[s].kind == ChainStep::Kind::call) {
            text += std::to_string(chain.task_of_step[s]) + ":" + chain.steps[s].name + " ";
        }
    }
    return text;
}

// weights → arena[64,96), which conv reads; then dense, and a second layer that may read them, too.
SampleModel weights_of_one_layer() {
    SampleModel m(16, 4, 128);
    m.step("scale", {{k_in, 0, 16}}, {{k_arena, 32, 16}});
    m.step("weights", {}, {{k_arena, 64, 32}});
    m.step("bias", {}, {{k_arena, 96, 8}});
    m.step("conv", {{k_arena, 32, 16}, {k_arena, 64, 32}, {k_arena, 96, 8}}, {{k_arena, 0, 32}});
    return m;
}

TEST(Recompute, RunsInTheTaskThatNeedsItAndLeavesNoTaskBehind) {
    SampleModel m = weights_of_one_layer();
    m.step("dense", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    const Chain before = m.chain({1, 1, 1, 1, 1}), after = recompute_constants(before);
    EXPECT_EQ(print(before), "1:scale 2:weights 3:bias 4:conv 5:dense ");
    EXPECT_EQ(print(after), "1:scale 2:weights 2:bias 2:conv 3:dense ");
    EXPECT_EQ(after.tasks(), 5);
    EXPECT_EQ(analyse_liveness(before).crossing_bytes, 16 + 16 + 32 + 8 + 32 + 4);
    EXPECT_EQ(analyse_liveness(after).crossing_bytes, 16 + 16 + 32 + 4);
    ASSERT_EQ(after.constant_steps.size(), 2U);
    EXPECT_EQ(after.constant_steps.at(1).text,
              "run again in the task that needs it, which costs less: 32 B to NVM and 32 B from there an inference, "
              "against 0 B loaded and stored more");
}

TEST(Recompute, InTwoTasksWhereThatIsCheaper) {
    SampleModel m = weights_of_one_layer();
    m.step("conv2", {{k_arena, 0, 32}, {k_arena, 64, 32}}, {{k_arena, 32, 16}});
    m.step("dense", {{k_arena, 32, 16}}, {{k_out, 0, 4}});
    const Chain after = recompute_constants(m.chain({1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(print(after), "1:scale 2:weights 2:bias 2:conv 3:weights 3:conv2 4:dense ");
}

TEST(Recompute, NotWhereRunningItAgainCostsMore) {
    SampleModel m = weights_of_one_layer();
    m.step("conv2", {{k_arena, 0, 32}, {k_arena, 64, 2}}, {{k_arena, 32, 16}});
    m.step("dense", {{k_arena, 32, 16}}, {{k_out, 0, 4}});
    cfront::Access& result = m.model().entry.steps[1].accesses[0];
    result.reads = result.read_back = IntervalSet(128 - 28, 128);  // much work for little
    result.must_writes = result.writes = result.written_once = IntervalSet(64, 66);
    const Chain after = recompute_constants(m.chain({1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(print(after), "1:scale 2:weights 3:bias 3:conv 4:conv2 5:dense ");
    EXPECT_FALSE(after.constant_steps.at(1).is_moved);
    EXPECT_NE(after.constant_steps.at(1).text.find("costs less than to run it in 2 tasks"), std::string::npos);
}

TEST(Recompute, WhatItsOwnTaskNeedsStays) {
    SampleModel m = weights_of_one_layer();
    m.step("dense", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    EXPECT_EQ(print(recompute_constants(m.chain({4, 1}))), "1:scale 1:weights 1:bias 1:conv 2:dense ");
}

TEST(Recompute, NotOverBytesThatAnotherStepUsesInBetween) {
    SampleModel m(16, 4, 128);
    m.step("weights", {}, {{k_arena, 64, 32}});
    m.step("first", {{k_in, 0, 16}, {k_arena, 64, 32}}, {{k_arena, 0, 32}, {k_arena, 64, 8}});
    m.step("second", {{k_arena, 0, 32}, {k_arena, 64, 8}, {k_arena, 72, 24}}, {{k_out, 0, 4}});
    const Chain after = recompute_constants(m.chain({1, 1, 1}));
    EXPECT_EQ(print(after), "1:weights 2:first 3:second ");
    EXPECT_EQ(after.constant_steps.at(0).text,
              "stays where it is: its result's bytes are used for something else before all have read it");
}

TEST(Recompute, NotWhatIsNotSurelyWritten) {
    SampleModel m = weights_of_one_layer();
    m.step("dense", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    m.model().entry.steps[1].accesses[0].must_writes = IntervalSet(64, 95);
    m.model().entry.steps[1].accesses[0].written_once = {};
    EXPECT_EQ(print(recompute_constants(m.chain({1, 1, 1, 1, 1}))), "1:scale 2:weights 3:bias 3:conv 4:dense ");
}

// A static table that a function makes in each inference, before the first layer.
TEST(Recompute, AVariableThatNobodyHasTouchedBefore) {
    SampleModel m(16, 4, 128);
    const int table = m.add_variable("table", 16);
    m.step("init_table", {}, {{table, 0, 16}});
    m.step("conv", {{k_in, 0, 16}}, {{k_arena, 0, 16}});
    m.step("look_up", {{k_arena, 0, 16}, {table, 0, 16}}, {{k_out, 0, 4}});
    const Chain after = recompute_constants(m.chain({1, 1, 1}));
    EXPECT_EQ(print(after), "1:conv 2:init_table 2:look_up ");
    EXPECT_EQ(analyse_liveness(after).crossing_bytes, 16 + 16 + 4);
    EXPECT_EQ(after.constant_steps.at(0).text,
              "run again in the task that needs it, which costs less: 16 B to NVM and 16 B from there an inference, "
              "against 0 B loaded and stored more");
}

TEST(Recompute, NotAVariableThatAnEarlierStepReads) {
    SampleModel m(16, 4, 128);
    const int table = m.add_variable("table", 16);
    m.step("first", {{k_in, 0, 16}, {table, 4, 1}}, {{k_arena, 0, 16}});
    m.step("make_table", {}, {{table, 0, 16}});
    m.step("conv", {{k_arena, 0, 16}}, {{k_arena, 16, 16}});
    m.step("look_up", {{k_arena, 16, 16}, {table, 0, 16}}, {{k_out, 0, 4}});
    const Chain after = recompute_constants(m.chain({1, 1, 1, 1}));
    EXPECT_EQ(print(after), "1:first 2:make_table 3:conv 4:look_up ");
    EXPECT_EQ(after.constant_steps.at(1).text,
              "stays where it is: what it writes is not surely written, or is not only its own");
}

TEST(Recompute, IsToldWithTheFunctions) {
    SampleModel m = weights_of_one_layer();
    m.step("dense", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    cfront::Function weights;
    weights.name = "weights";
    m.model().functions.push_back(weights);
    const std::vector<Classified> classes = classify(recompute_constants(m.chain({1, 1, 1, 1, 1})));
    ASSERT_EQ(classes.size(), 1U);
    EXPECT_EQ(classes[0].function_class, FunctionClass::recomputed);
    EXPECT_NE(classes[0].reason.find("step 1, task 2: depends on no input; run again in the task that needs it"),
              std::string::npos)
        << classes[0].reason;
}

}  // namespace
}  // namespace metamorph::tasks

#include "tasks/classify.h"

#include <gtest/gtest.h>

#include "unit/tasks/sample_model.h"

namespace metamorph::tasks {
namespace {

constexpr int k_in = SampleModel::k_in, k_out = SampleModel::k_out, k_arena = SampleModel::k_arena;

TEST(Classify, ByWhatFunctionsReadAndWrite) {
    SampleModel m(16, 4, 96);
    const int verdict = m.add_variable("verdict", 4);
    m.step("prepare_weights", {}, {{k_arena, 64, 32}});
    m.step("conv", {{k_in, 0, 16}, {k_arena, 64, 32}}, {{k_arena, 0, 32}});
    m.step("dense", {{k_arena, 0, 32}}, {{k_out, 0, 4}});
    m.step("check", {{k_out, 0, 4}}, {{verdict, 0, 4}});
    for (const char* name : {"net_invoke", "prepare_weights", "conv", "dense", "check", "clamp", "orphan"}) {
        cfront::Function function;
        function.name = name;
        m.model().functions.push_back(function);
    }
    m.model().functions[3].calls = {"clamp"};
    std::vector<FunctionClass> classes;
    for (const Classified& c : classify(m.chain({2, 2}))) {
        classes.push_back(c.function_class);
        EXPECT_FALSE(c.reason.empty()) << c.function;
    }
    using enum FunctionClass;
    EXPECT_EQ(classes,
              (std::vector<FunctionClass>{entry, once_at_start, per_task, per_task, once_at_end, helper, unused}));
}

}  // namespace
}  // namespace metamorph::tasks

// The arena plan: nothing alive together overlaps, and small cases reach the lower bound.
#include <gtest/gtest.h>

#include <string>

#include "generate/generator.h"
#include "golden/native/small_graphs.h"

namespace metamorph::generate {
namespace {

// A chain of element-wise additions over int8 vectors; each step adds the two tensors given to make the next.
graph::Graph chain(const std::vector<std::int64_t>& sizes, const std::vector<std::pair<int, int>>& steps) {
    graph::Graph graph;
    for (const std::int64_t size : sizes) {
        graph::Tensor tensor;
        tensor.shape = {size};
        tensor.quantization = graph::Quantization{{0.1F}, {0}, 0};
        graph.tensors.push_back(tensor);
    }
    graph.inputs = {0};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        graph::Operator op;
        op.attributes = graph::Elementwise{};
        op.inputs = {steps[i].first, steps[i].second};
        op.outputs = {static_cast<int>(i) + 1};
        op.model_index = static_cast<int>(i);
        graph.operators.push_back(op);
    }
    graph.outputs = {static_cast<int>(steps.size())};
    return graph;
}

void expect_sound(const ArenaPlan& plan) {
    for (const ArenaSlot& a : plan.slots) {
        EXPECT_EQ(a.offset % 16, 0);
        EXPECT_LE(a.offset + a.bytes, plan.bytes);
        for (const ArenaSlot& b : plan.slots) {
            const bool together = a.first_operator <= b.last_operator && b.first_operator <= a.last_operator;
            const bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
            EXPECT_TRUE(a.tensor == b.tensor || !together || apart) << a.tensor << " and " << b.tensor;
        }
    }
    EXPECT_GE(plan.bytes, plan.bytes_lower_bound);
}

TEST(ArenaPlan, LeavesOutInputsAndOutputs) {
    const ArenaPlan plan = plan_arena(chain({100, 100}, {{0, 0}}));
    EXPECT_TRUE(plan.slots.empty());
    EXPECT_EQ(plan.bytes, 0);
}

TEST(ArenaPlan, ReusesWhatIsDead) {
    const ArenaPlan plan = plan_arena(chain({100, 100, 100, 100, 100}, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
    expect_sound(plan);
    EXPECT_EQ(plan.slots.size(), 3U);
    EXPECT_EQ(plan.bytes, 2 * 112);
    EXPECT_EQ(plan.bytes_lower_bound, 2 * 112);
}

TEST(ArenaPlan, KeepsWhatIsReadLater) {
    const ArenaPlan plan = plan_arena(chain({64, 64, 64, 64, 64}, {{0, 0}, {1, 1}, {2, 2}, {3, 1}}));
    expect_sound(plan);
    EXPECT_EQ(plan.slots[0].first_operator, 0);
    EXPECT_EQ(plan.slots[0].last_operator, 3);
    EXPECT_EQ(plan.bytes, 3 * 64);
}

TEST(ArenaPlan, IsSoundOnTheSmallGraphs) {
    for (const test::SmallGraph& small : test::small_graphs()) {
        const ArenaPlan plan = plan_arena(small.graph);
        expect_sound(plan);
        EXPECT_EQ(plan.bytes, plan.bytes_lower_bound) << small.name;
    }
}

TEST(ArenaPlan, IsSoundOnManySizesAndLifetimes) {
    std::uint32_t x = 1;
    const auto random = [&](std::uint32_t below) {
        x = x * 1664525U + 1013904223U;
        return (x >> 16) % below;
    };
    for (int round = 0; round < 50; ++round) {
        std::vector<std::int64_t> sizes{16};
        std::vector<std::pair<int, int>> steps;
        for (std::uint32_t i = 0; i < 12; ++i) {
            sizes.push_back(1 + random(500));
            steps.emplace_back(static_cast<int>(random(i + 1)), static_cast<int>(i));
        }
        expect_sound(plan_arena(chain(sizes, steps)));
    }
}

}  // namespace
}  // namespace metamorph::generate

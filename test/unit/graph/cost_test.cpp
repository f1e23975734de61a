// Sizes, multiply-accumulates and window geometry; the window's rules are compared with a direct count of positions.
#include <gtest/gtest.h>

#include <limits>

#include "unit/graph/sample_graphs.h"

namespace metamorph::graph {
namespace {

constexpr std::int64_t k_max = std::numeric_limits<std::int64_t>::max();

TEST(Tensor, SizesSaturate) {
    EXPECT_EQ(activation({2, 3, 4}).elements(), 24);
    EXPECT_EQ(activation({}).elements(), 1);
    EXPECT_EQ(activation({k_max, k_max}).elements(), k_max);
    Tensor wide = activation({k_max / 2});
    wide.type = DataType::int64;
    EXPECT_EQ(wide.bytes(), k_max);
    wide.shape = {3};
    EXPECT_EQ(wide.bytes(), 24);
}

TEST(Cost, MacsAndConstants) {
    const auto cost = [](const Graph& graph) {
        return std::pair(macs(graph, graph.operators[0]), constant_bytes(graph, graph.operators[0]));
    };
    EXPECT_EQ(cost(conv_graph()), std::pair(std::int64_t{3 * 6 * 4 * 3 * 2 * 3}, std::int64_t{4 * 3 * 2 * 3 + 4 * 4}));
    EXPECT_EQ(cost(depthwise_graph()), std::pair(std::int64_t{3 * 5 * 6 * 2 * 2}, std::int64_t{24 + 24}));
    EXPECT_EQ(cost(dense_graph()), std::pair(std::int64_t{2 * 4 * 8}, std::int64_t{32 + 16}));
    EXPECT_EQ(cost(pool_graph()), std::pair(std::int64_t{0}, std::int64_t{0}));
}

// VALID: starts at which the whole dilated filter is inside. SAME: one output for every `stride` inputs, and the
// padding that is needed on both sides together split with the smaller half in front.
TEST(Window, AgreesWithCounting) {
    for (std::int64_t input = 1; input <= 12; ++input) {
        for (int filter = 1; filter <= 5; ++filter) {
            for (int stride = 1; stride <= 4; ++stride) {
                for (int dilation = 1; dilation <= 3; ++dilation) {
                    const int reach = (filter - 1) * dilation + 1;
                    std::int64_t valid = 0, same = 0;
                    for (std::int64_t start = 0; start < input; start += stride) {
                        valid += start + reach <= input ? 1 : 0;
                        ++same;
                    }
                    EXPECT_EQ(window(Padding::valid, input, filter, stride, dilation).output, valid);
                    EXPECT_EQ(window(Padding::valid, input, filter, stride, dilation).padding_before, 0);
                    const Window found = window(Padding::same, input, filter, stride, dilation);
                    EXPECT_EQ(found.output, same);
                    const std::int64_t needed = (same - 1) * stride + reach - input;
                    EXPECT_EQ(found.padding_before, needed > 0 ? needed / 2 : 0);
                }
            }
        }
    }
}

TEST(Window, AbsurdExtentsDoNotOverflow) {
    const int large = std::numeric_limits<int>::max();
    EXPECT_EQ(window(Padding::valid, 5, large, 1, large).output, 0);
    EXPECT_EQ(window(Padding::valid, k_max, 1, 1, 1).output, k_max);
    EXPECT_EQ(window(Padding::same, k_max, 3, 1, 1).output, k_max);
    EXPECT_EQ(window(Padding::same, 1, large, large, large).output, 1);
}

}  // namespace
}  // namespace metamorph::graph

// The printed form, which golden files rely on.
#include <gtest/gtest.h>

#include "unit/graph/sample_graphs.h"

namespace metamorph::graph {
namespace {

TEST(Print, Convolution) {
    Graph graph = conv_graph();
    graph.name = "tiny\n";
    EXPECT_EQ(print(graph),
              "graph 'tiny?' inputs [0] outputs [3]\n"
              "tensor 0 int8 [1, 5, 6, 3] scale [0.1] zero [0] 'activation'\n"
              "tensor 1 int8 [4, 3, 2, 3] scale [0.02] zero [0] constant 72 bytes 0303030303030303... 'filter'\n"
              "tensor 2 int32 [4] scale [0.002] zero [0] constant 16 bytes 0500000005000000... 'bias'\n"
              "tensor 3 int8 [1, 3, 6, 4] scale [0.1] zero [0] 'activation'\n"
              "operator 0 (CONV_2D) [0, 1, 2] -> [3] SAME stride 2x1 dilation 1x1 activation RELU\n");
}

TEST(Print, TellsAttributesApart) {
    Graph graph = single(Pad{{0, 1}, {2, 0}, std::nullopt}, {activation({2, 3})}, activation({4, 4}));
    EXPECT_NE(print(graph).find("operator 0 (PAD) [0] -> [1] before [0, 1] after [2, 0]\n"), std::string::npos);
    std::get<Pad>(graph.operators[0].attributes).pad_value = -7;
    EXPECT_NE(print(graph).find("operator 0 (PADV2) [0] -> [1] before [0, 1] after [2, 0] value -7\n"),
              std::string::npos);
    graph.operators[0].attributes = Mean{{0, 1}, true};
    EXPECT_NE(print(graph).find("operator 0 (MEAN) [0] -> [1] axes [0, 1] keep_dims\n"), std::string::npos);
}

}  // namespace
}  // namespace metamorph::graph

// import(write(graph)) == graph: for every operator, with everything that its options can say.
#include <gtest/gtest.h>

#include "import/import.h"
#include "support/random_network.h"
#include "support/tflite_writer.h"
#include "unit/graph/sample_graphs.h"

namespace metamorph {
namespace {

using namespace graph;

void expect_round_trip(const Graph& graph) {
    const auto imported = import::import_tflite(test_support::write_tflite(graph), graph.name);
    ASSERT_TRUE(imported) << describe(imported.error()) << print(graph);
    EXPECT_EQ(*imported, graph) << "written:\n" << print(graph) << "read:\n" << print(*imported);
}

TEST(RoundTrip, RandomNetworks) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        expect_round_trip(test_support::random_network(seed, {.has_relu_n1_to_1 = true}));
    }
}

TEST(RoundTrip, EveryFusedActivationAndPadding) {
    for (const Activation activation :
         {Activation::none, Activation::relu, Activation::relu6, Activation::relu_n1_to_1}) {
        Graph graph = conv_graph();
        std::get<Conv2D>(graph.operators[0].attributes).activation = activation;
        expect_round_trip(graph);
        graph = depthwise_graph();
        std::get<DepthwiseConv2D>(graph.operators[0].attributes).activation = activation;
        expect_round_trip(graph);
        graph = dense_graph();
        std::get<FullyConnected>(graph.operators[0].attributes).activation = activation;
        expect_round_trip(graph);
        graph = pool_graph();
        std::get<Pool2D>(graph.operators[0].attributes).activation = activation;
        expect_round_trip(graph);
        graph = add_graph();
        std::get<Elementwise>(graph.operators[0].attributes).activation = activation;
        expect_round_trip(graph);
        std::get<Elementwise>(graph.operators[0].attributes).kind = Elementwise::Kind::mul;
        expect_round_trip(graph);
    }
}

// Height and width, strides and dilations must not be swapped: everything differs here.
TEST(RoundTrip, HeightAndWidthStayApart) {
    expect_round_trip(single(Conv2D{Padding::valid, 2, 3, 1, 2, Activation::none},
                             {activation({2, 9, 12, 3}), filter({4, 3, 2, 3}), bias(4)}, activation({2, 4, 4, 4})));
    expect_round_trip(single(Pool2D{Pool2D::Kind::max, Padding::same, 2, 1, 3, 5, Activation::none},
                             {activation({1, 9, 4, 3})}, activation({1, 5, 4, 3})));
}

TEST(RoundTrip, ScalarsAndAbsentBiases) {
    expect_round_trip(single(Elementwise{}, {activation({2, 2}), activation({})}, activation({2, 2}, 0.3F)));
    Graph graph = dense_graph();
    graph.tensors.erase(graph.tensors.begin() + 2);
    graph.operators[0] = {FullyConnected{}, {0, 1, -1}, {2}, 0};
    graph.outputs = {2};
    expect_round_trip(graph);
    expect_round_trip(single(Mean{{0, 1}, false}, {activation({3, 2})}, activation({})));
    expect_round_trip(single(Reshape{}, {activation({1, 1})}, activation({})));
}

}  // namespace
}  // namespace metamorph

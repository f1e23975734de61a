// verify: ids, order and single tensors. Each test breaks one thing of a sound graph and expects the words of the
// error.
#include <gtest/gtest.h>

#include <limits>

#include "unit/graph/sample_graphs.h"

namespace metamorph::graph {
namespace {

void expect_refused(const Graph& graph, const std::string& where, const std::string& words) {
    const Status status = verify(graph);
    ASSERT_FALSE(status) << "passed, though it should say: " << words;
    EXPECT_EQ(status.error().code, ErrorCode::model);
    EXPECT_EQ(status.error().where, where);
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
}

constexpr const char* k_conv = "operator 0 (CONV_2D)";

TEST(Verify, AcceptsTheSamples) {
    for (const Graph& graph : {conv_graph(), depthwise_graph(), dense_graph(), pool_graph(), add_graph()}) {
        const Status status = verify(graph);
        EXPECT_TRUE(status) << describe(status.error());
    }
}

TEST(Verify, NamesThePositionInTheModel) {
    Graph graph = conv_graph();
    graph.operators[0].model_index = 17;
    graph.tensors[0].type = DataType::float32;
    expect_refused(graph, "operator 17 (CONV_2D)", "input 0 'activation' is float32; supported: int8");
}

TEST(Verify, EmptyGraphs) {
    expect_refused(Graph{}, "model", "0 inputs, 0 operators and 0 outputs");
    Graph graph = conv_graph();
    graph.outputs.clear();
    expect_refused(graph, "model", "and 0 outputs");
}

TEST(Verify, IdsOutOfRange) {
    for (const TensorId id : {-2, 4, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
        Graph graph = conv_graph();
        graph.operators[0].inputs[1] = id;
        expect_refused(graph, k_conv, "there is no tensor");
        graph = conv_graph();
        graph.operators[0].outputs[0] = id;
        expect_refused(graph, k_conv, "there is no tensor");
        graph = conv_graph();
        graph.inputs[0] = id;
        expect_refused(graph, "model inputs", "there is no tensor");
        graph = conv_graph();
        graph.outputs[0] = id;
        expect_refused(graph, "model outputs", "there is no tensor");
    }
    Graph graph = conv_graph();
    graph.operators[0].outputs[0] = -1;
    expect_refused(graph, k_conv, "there is no tensor -1");
}

TEST(Verify, OrderAndOrigin) {
    Graph graph = conv_graph();
    graph.inputs.clear();
    graph.inputs.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.push_back(activation({1}));
    expect_refused(graph, k_conv, "tensor 0 'activation' is read, but it is neither a constant nor an input");

    graph = conv_graph();
    graph.operators[0].inputs[0] = 3;  // its own output
    expect_refused(graph, k_conv, "tensor 3 'activation' is read, but");

    graph = conv_graph();
    graph.operators.push_back(graph.operators[0]);
    graph.operators[1].model_index = 1;
    expect_refused(graph, "operator 1 (CONV_2D)", "tensor 3 'activation' is an output, but it is");

    graph = conv_graph();
    graph.operators[0].outputs[0] = 1;
    expect_refused(graph, k_conv, "tensor 1 'filter' is an output, but it is a constant");

    graph = conv_graph();
    graph.inputs.push_back(0);
    expect_refused(graph, "model inputs", "tensor 0 'activation' is an input, but");

    graph = conv_graph();
    graph.inputs.push_back(1);
    expect_refused(graph, "model inputs", "tensor 1 'filter' is an input, but it is a constant");
}

TEST(Verify, OutputsAreComputedAndDistinct) {
    for (const TensorId id : {0, 1, 3}) {  // an input, a constant, the output again
        Graph graph = conv_graph();
        graph.outputs.push_back(id);
        expect_refused(graph, "model outputs", "is not computed by an operator, or is an output twice");
    }
}

TEST(Verify, Shapes) {
    for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
        Graph graph = conv_graph();
        graph.tensors[0].shape[1] = extent;
        expect_refused(graph, k_conv, "supported: extents of 1 and above");
    }
    Graph graph = conv_graph();
    graph.tensors[0].shape.assign(7, 1);
    expect_refused(graph, k_conv, "tensor 0 'activation' has 7 dimensions; supported: 6");

    for (const std::int64_t extent : {k_tensor_bytes_max + 1, std::numeric_limits<std::int64_t>::max()}) {
        graph = conv_graph();
        graph.tensors[3].shape = {1, 3, extent, 4};
        expect_refused(graph, k_conv, "supported: 268435456 bytes");
    }
}

TEST(Verify, ConstantsFillTheirShape) {
    Graph graph = conv_graph();
    graph.tensors[1].data.pop_back();
    expect_refused(graph, k_conv, "tensor 1 'filter' has 71 bytes of data, but shape [4, 3, 2, 3] of int8 needs 72");
    graph = conv_graph();
    graph.tensors[2].data.push_back(std::byte{});
    expect_refused(graph, k_conv, "tensor 2 'bias' has 17 bytes of data, but shape [4] of int32 needs 16");
}

TEST(Verify, Quantization) {
    for (const float scale :
         {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        Graph graph = conv_graph();
        graph.tensors[0].quantization->scale[0] = scale;
        expect_refused(graph, k_conv, "supported: finite and above 0");
    }
    for (const std::int64_t zero_point :
         {std::int64_t{-129}, std::int64_t{128}, std::numeric_limits<std::int64_t>::max()}) {
        Graph graph = conv_graph();
        graph.tensors[0].quantization->zero_point[0] = zero_point;
        expect_refused(graph, k_conv, "supported for int8: -128 to 127");
    }
    Graph graph = conv_graph();
    graph.tensors[0].quantization->zero_point.clear();
    expect_refused(graph, k_conv, "has 1 scales and 0 zero points");
    graph = conv_graph();
    graph.tensors[0].quantization->scale.clear();
    graph.tensors[0].quantization->zero_point.clear();
    expect_refused(graph, k_conv, "has 0 scales and 0 zero points");
    for (const int axis : {-1, 4, 1}) {
        graph = conv_graph();
        graph.tensors[1].quantization = Quantization{{1, 1, 1, 1}, {0, 0, 0, 0}, axis};
        expect_refused(graph, k_conv, fmt::format("has 4 scales along dimension {}", axis));
    }
}

TEST(Verify, UnusedTensorsAndResultsAreKept) {
    Graph graph = conv_graph();
    graph.inputs.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.push_back(activation({7}));
    graph.operators.push_back(graph.operators[0]);
    graph.operators[1].outputs = {static_cast<TensorId>(graph.tensors.size())};
    graph.tensors.push_back(graph.tensors[3]);
    const Status status = verify(graph);
    EXPECT_TRUE(status) << describe(status.error());
}

}  // namespace
}  // namespace metamorph::graph

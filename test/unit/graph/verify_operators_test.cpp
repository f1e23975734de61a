// verify: the rules of each operator. A row changes a sound graph of one operator and says what must then be refused.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "unit/graph/sample_graphs.h"

namespace metamorph::graph {
namespace {

using Change = std::function<void(Graph&)>;

struct Row {
    const char* words;
    Change change;
};

void expect_each_refused(const Graph& sound, const std::vector<Row>& rows) {
    const Status sound_status = verify(sound);
    ASSERT_TRUE(sound_status) << describe(sound_status.error());
    for (const Row& row : rows) {
        Graph graph = sound;
        row.change(graph);
        const Status status = verify(graph);
        ASSERT_FALSE(status) << "passed, though it should say: " << row.words;
        EXPECT_EQ(status.error().code, ErrorCode::model);
        EXPECT_EQ(status.error().where, position_of(graph.operators[0]));
        EXPECT_NE(status.error().message.find(row.words), std::string::npos) << status.error().message;
    }
}

template <typename T>
T& attributes(Graph& graph) {
    return std::get<T>(graph.operators[0].attributes);
}

// What every operator demands of its int8 tensors.
std::vector<Row> activation_rows(TensorId id) {
    const auto i = static_cast<std::size_t>(id);
    return {
        {"is int16; supported: int8", [i](Graph& g) { g.tensors[i].type = DataType::int16; }},
        {"has no quantisation", [i](Graph& g) { g.tensors[i].quantization.reset(); }},
        {"is quantised per channel; supported: per tensor",
         [i](Graph& g) {
             const auto count = static_cast<std::size_t>(g.tensors[i].shape.back());
             g.tensors[i].quantization = Quantization{std::vector<float>(count, 0.1F), std::vector<std::int64_t>(count),
                                                      static_cast<int>(g.tensors[i].shape.size()) - 1};
         }},
    };
}

TEST(VerifyOperators, Activations) {
    expect_each_refused(conv_graph(), activation_rows(0));
    expect_each_refused(conv_graph(), activation_rows(3));
    expect_each_refused(depthwise_graph(), activation_rows(3));
    expect_each_refused(dense_graph(), activation_rows(0));
    expect_each_refused(pool_graph(), activation_rows(0));
    expect_each_refused(add_graph(), activation_rows(0));
    expect_each_refused(add_graph(), activation_rows(2));
}

TEST(VerifyOperators, Filters) {
    for (const Graph& graph : {conv_graph(), depthwise_graph(), dense_graph()}) {
        expect_each_refused(
            graph,
            {
                {"inputs; supported: 2 to 3", [](Graph& g) { g.operators[0].inputs.resize(1); }},
                {"inputs; supported: 2 to 3", [](Graph& g) { g.operators[0].inputs.push_back(0); }},
                {"input 0 is absent", [](Graph& g) { g.operators[0].inputs[0] = -1; }},
                {"input 1 is absent", [](Graph& g) { g.operators[0].inputs[1] = -1; }},
                {"'filter' is computed; supported: a constant filter",
                 [](Graph& g) {
                     g.tensors[1].data.clear();
                     g.inputs.push_back(1);
                 }},
                {"'filter' has no quantisation", [](Graph& g) { g.tensors[1].quantization.reset(); }},
                {"symmetric filters", [](Graph& g) { g.tensors[1].quantization->zero_point[0] = 1; }},
                {"supported: dimension",
                 [](Graph& g) {
                     const int axis = 1;  // of no operator's output channels
                     const auto count = static_cast<std::size_t>(g.tensors[1].shape[1]);
                     g.tensors[1].quantization =
                         Quantization{std::vector<float>(count, 0.02F), std::vector<std::int64_t>(count), axis};
                 }},
                {"dimensions", [](Graph& g) { g.tensors[1].shape.push_back(1); }},
                {"'bias' is int16",
                 [](Graph& g) {
                     g.tensors[2].type = DataType::int16;
                     g.tensors[2].data.resize(g.tensors[2].data.size() / 2);
                 }},
                {"'bias' is computed",
                 [](Graph& g) {
                     g.tensors[2].data.clear();
                     g.inputs.push_back(2);
                 }},
                {"one entry a channel",
                 [](Graph& g) {
                     g.tensors[2].shape[0] -= 1;
                     g.tensors[2].data.resize(g.tensors[2].data.size() - 4);
                 }},
                {"'bias' has no quantisation", [](Graph& g) { g.tensors[2].quantization.reset(); }},
                {"input scale * filter scale is", [](Graph& g) { g.tensors[2].quantization->scale[0] *= 1.01F; }},
                {"'bias' has zero point 3", [](Graph& g) { g.tensors[2].quantization->zero_point[0] = 3; }},
                {"scales, but the filter has 1",
                 [](Graph& g) {
                     const auto count = static_cast<std::size_t>(g.tensors[2].shape[0]);
                     g.tensors[2].quantization =
                         Quantization{std::vector<float>(count, 0.002F), std::vector<std::int64_t>(count), 0};
                 }},
                {"may reach",
                 [](Graph& g) {
                     const std::int32_t value = std::numeric_limits<std::int32_t>::min();
                     std::memcpy(g.tensors[2].data.data() + 4, &value, sizeof value);
                 }},
                {"32 bits may overflow", [](Graph& g) { g.tensors.back().quantization->scale[0] = 1e-12F; }},
            });
    }
}

TEST(VerifyOperators, FiltersAbsentBiasAndPerChannelPass) {
    Graph graph = conv_graph();
    graph.operators[0].inputs[2] = -1;
    EXPECT_TRUE(verify(graph));
    graph = conv_graph();
    graph.tensors[1].quantization = Quantization{{0.02F, 0.01F, 0.03F, 0.04F}, {0, 0, 0, 0}, 0};
    graph.tensors[2].quantization = Quantization{{0.002F, 0.001F, 0.003F, 0.004F}, {0, 0, 0, 0}, 0};
    EXPECT_TRUE(verify(graph));
    graph.tensors[2].quantization->scale[2] = 0.0031F;
    const Status status = verify(graph);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("for channel 2"), std::string::npos) << status.error().message;
}

TEST(VerifyOperators, AccumulatorOfALargeLayer) {
    // 127 * 256 * 70,000 exceeds 2^31, although every weight is in range.
    Graph graph = single(FullyConnected{}, {activation({1, 70'000}), filter({1, 70'000})}, activation({1, 1}));
    EXPECT_TRUE(verify(graph));
    graph.tensors[1].data.assign(70'000, std::byte{127});
    const Status status = verify(graph);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("accumulator of channel 0 may reach"), std::string::npos);
}

TEST(VerifyOperators, Convolution) {
    const int large = std::numeric_limits<int>::max();
    expect_each_refused(
        conv_graph(),
        {
            {"stride 0x1", [](Graph& g) { attributes<Conv2D>(g).stride_h = 0; }},
            {"stride 2x-1", [](Graph& g) { attributes<Conv2D>(g).stride_w = -1; }},
            {"dilation 1x0", [](Graph& g) { attributes<Conv2D>(g).dilation_w = 0; }},
            {"but the operator computes [1, 3, 2, 4]", [](Graph& g) { attributes<Conv2D>(g).stride_w = 3; }},
            {"but the operator computes [1, 1, 6, 4]", [=](Graph& g) { attributes<Conv2D>(g).stride_h = large; }},
            {"but the operator computes [1, 0, 5, 4]",
             [=](Graph& g) {
                 attributes<Conv2D>(g).padding = Padding::valid;
                 attributes<Conv2D>(g).dilation_h = large;
             }},
            {"one group", [](Graph& g) { g.tensors[0].shape[3] = 6; }},
            {"supported: 4 dimensions", [](Graph& g) { g.tensors[0].shape = {5, 6, 3}; }},
            {"but the operator computes [2, 3, 6, 4]", [](Graph& g) { g.tensors[0].shape[0] = 2; }},
        });
}

TEST(VerifyOperators, DepthwiseConvolution) {
    expect_each_refused(
        depthwise_graph(),
        {
            {"filter = input * multiplier", [](Graph& g) { attributes<DepthwiseConv2D>(g).depth_multiplier = 3; }},
            {"filter = input * multiplier", [](Graph& g) { attributes<DepthwiseConv2D>(g).depth_multiplier = 0; }},
            {"filter = input * multiplier", [](Graph& g) { g.tensors[0].shape[3] = 2; }},
            {"a first extent of 1", [](Graph& g) { g.tensors[1].shape = {2, 2, 1, 6}; }},
            {"dilation 0x1", [](Graph& g) { attributes<DepthwiseConv2D>(g).dilation_h = 0; }},
            {"but the operator computes [1, 4, 5, 6]", [](Graph& g) { attributes<DepthwiseConv2D>(g).dilation_h = 1; }},
        });
}

TEST(VerifyOperators, FullyConnected) {
    expect_each_refused(dense_graph(),
                        {
                            {"a multiple of the filter's 8 inputs", [](Graph& g) { g.tensors[0].shape = {2, 7}; }},
                            {"but the operator computes [3, 4]", [](Graph& g) { g.tensors[0].shape = {3, 8}; }},
                            {"but the operator computes [2, 4]", [](Graph& g) { g.tensors[3].shape = {4, 2}; }},
                            {"as keep_num_dims is set",
                             [](Graph& g) {
                                 g.tensors[0].shape = {4, 4};
                                 attributes<FullyConnected>(g).keep_num_dims = true;
                             }},
                            {"but the operator computes [1, 2, 4]",
                             [](Graph& g) {
                                 g.tensors[0].shape = {1, 2, 8};
                                 attributes<FullyConnected>(g).keep_num_dims = true;
                             }},
                        });
}

TEST(VerifyOperators, Pooling) {
    expect_each_refused(
        pool_graph(),
        {
            {"supported: the same on both", [](Graph& g) { g.tensors[1].quantization->scale[0] = 0.2F; }},
            {"supported: the same on both", [](Graph& g) { g.tensors[1].quantization->zero_point[0] = 1; }},
            {"filter 0x2", [](Graph& g) { attributes<Pool2D>(g).filter_h = 0; }},
            {"stride 2x-2", [](Graph& g) { attributes<Pool2D>(g).stride_w = -2; }},
            {"but the operator computes [1, 0, 3, 3]", [](Graph& g) { attributes<Pool2D>(g).filter_h = 5; }},
            {"supported: 4 dimensions", [](Graph& g) { g.tensors[0].shape = {4, 6, 3}; }},
        });
    const std::int64_t large = 4000;
    Graph graph = single(Pool2D{Pool2D::Kind::average, Padding::valid, 1, 1, 4000, 4000, Activation::none},
                         {activation({1, large, large, 1})}, activation({1, 1, 1, 1}));
    const Status status = verify(graph);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("window has 16000000 elements"), std::string::npos);
}

TEST(VerifyOperators, Elementwise) {
    expect_each_refused(add_graph(),
                        {
                            {"do not broadcast", [](Graph& g) { g.tensors[1].shape = {5, 1}; }},
                            {"but the operator computes [1, 4, 6, 9]",
                             [](Graph& g) {
                                 g.tensors[0].shape[3] = 1;
                                 g.tensors[1].shape = {9};
                             }},
                            {"broadcast over 5 dimensions", [](Graph& g) { g.tensors[1].shape = {1, 1, 1, 6, 1}; }},
                            {"inputs; supported: 2", [](Graph& g) { g.operators[0].inputs.pop_back(); }},
                            {"below 2^19 times", [](Graph& g) { g.tensors[2].quantization->scale[0] = 1e-7F; }},
                            {"32 bits may overflow",
                             [](Graph& g) {
                                 attributes<Elementwise>(g).kind = Elementwise::Kind::mul;
                                 g.tensors[2].quantization->scale[0] = 1e-7F;
                             }},
                        });
}

TEST(VerifyOperators, ReluReshapeQuantize) {
    expect_each_refused(single(Relu{}, {activation({2, 3})}, activation({2, 3}, 0.05F)),
                        {
                            {"has no activation", [](Graph& g) { attributes<Relu>(g).activation = Activation::none; }},
                            {"but the operator computes [2, 3]", [](Graph& g) { g.tensors[1].shape = {3, 2}; }},
                            {"32 bits may overflow", [](Graph& g) { g.tensors[1].quantization->scale[0] = 1e-9F; }},
                        });
    expect_each_refused(
        single(Reshape{}, {activation({2, 3})}, activation({6})),
        {
            {"does not hold the 6 elements", [](Graph& g) { g.tensors[1].shape = {5}; }},
            {"supported: the same on both", [](Graph& g) { g.tensors[1].quantization->zero_point[0] = 1; }},
        });
    Tensor real = activation({2, 3});
    real.type = DataType::float32;
    real.quantization.reset();
    EXPECT_TRUE(verify(single(Quantize{}, {real}, activation({2, 3}))));
    expect_each_refused(
        single(Quantize{}, {activation({2, 3})}, activation({2, 3}, 0.05F)),
        {
            {"is int32; supported: float32, int8", [](Graph& g) { g.tensors[0].type = DataType::int32; }},
            {"is float32; supported: int8", [](Graph& g) { g.tensors[1].type = DataType::float32; }},
            {"32 bits may overflow", [](Graph& g) { g.tensors[1].quantization->scale[0] = 1e-9F; }},
        });
    expect_each_refused(single(Dequantize{}, {activation({2, 3})}, real),
                        {
                            {"is int8; supported: float32", [](Graph& g) { g.tensors[1].type = DataType::int8; }},
                            {"but the operator computes [2, 3]", [](Graph& g) { g.tensors[1].shape = {6}; }},
                        });
}

TEST(VerifyOperators, Softmax) {
    expect_each_refused(
        single(Softmax{}, {activation({1, 10})}, activation({1, 10}, 1.0F / 256.0F, -128)),
        {
            {"supported: 1/256 and -128", [](Graph& g) { g.tensors[1].quantization->scale[0] = 1.0F / 255.0F; }},
            {"supported: 1/256 and -128", [](Graph& g) { g.tensors[1].quantization->zero_point[0] = 0; }},
            {"beta 0", [](Graph& g) { attributes<Softmax>(g).beta = 0.0F; }},
            {"beta -1", [](Graph& g) { attributes<Softmax>(g).beta = -1.0F; }},
            {"beta nan", [](Graph& g) { attributes<Softmax>(g).beta = std::numeric_limits<float>::quiet_NaN(); }},
            {"supported: 4095", [](Graph& g) { g.tensors[0].shape = g.tensors[1].shape = {1, 4096}; }},
            {"is a scalar", [](Graph& g) { g.tensors[0].shape = g.tensors[1].shape = {}; }},
            {"at most 4 dimensions", [](Graph& g) { g.tensors[0].shape = g.tensors[1].shape = {1, 1, 1, 1, 10}; }},
        });
}

TEST(VerifyOperators, PadMeanConcatenation) {
    expect_each_refused(single(Pad{{0, 1}, {2, 0}, 4}, {activation({2, 3})}, activation({4, 4})),
                        {
                            {"it pads dimension 0 by -1 and 2", [](Graph& g) { attributes<Pad>(g).before[0] = -1; }},
                            {"it pads dimension 1",
                             [](Graph& g) { attributes<Pad>(g).after[1] = std::numeric_limits<std::int64_t>::max(); }},
                            {"it pads 1 dimensions of 2", [](Graph& g) { attributes<Pad>(g).before.pop_back(); }},
                            {"padding value is 128", [](Graph& g) { attributes<Pad>(g).pad_value = 128; }},
                            {"but the operator computes [5, 4]", [](Graph& g) { attributes<Pad>(g).before[0] = 1; }},
                            {"supported: the same on both", [](Graph& g) { g.tensors[1].quantization->scale[0] = 1; }},
                        });
    expect_each_refused(
        single(Mean{{1, 2}, false}, {activation({1, 4, 5, 3})}, activation({1, 3}, 0.05F)),
        {
            {"its axes are []", [](Graph& g) { attributes<Mean>(g).axes.clear(); }},
            {"its axes are [2, 1]", [](Graph& g) { attributes<Mean>(g).axes = {2, 1}; }},
            {"its axes are [1, 1]", [](Graph& g) { attributes<Mean>(g).axes = {1, 1}; }},
            {"its axes are [1, 4]", [](Graph& g) { attributes<Mean>(g).axes = {1, 4}; }},
            {"but the operator computes [1, 1, 1, 3]", [](Graph& g) { attributes<Mean>(g).keep_dims = true; }},
            {"32 bits may overflow", [](Graph& g) { g.tensors[1].quantization->scale[0] = 1e-9F; }},
        });
    expect_each_refused(
        single(Concatenation{1, Activation::none}, {activation({2, 3}), activation({2, 4})}, activation({2, 7})),
        {
            {"has the activation RELU", [](Graph& g) { attributes<Concatenation>(g).activation = Activation::relu; }},
            {"axis 2 of", [](Graph& g) { attributes<Concatenation>(g).axis = 2; }},
            {"axis -1 of", [](Graph& g) { attributes<Concatenation>(g).axis = -1; }},
            {"but the operator computes [2, 7]", [](Graph& g) { g.tensors[2].shape = {2, 8}; }},
            {"but the operator computes [3, 7]", [](Graph& g) { g.tensors[1].shape = {3, 4}; }},
            {"supported: the same on both", [](Graph& g) { g.tensors[1].quantization->scale[0] = 0.2F; }},
            {"supported: 1 or more", [](Graph& g) { g.operators[0].inputs.clear(); }},
        });
}

}  // namespace
}  // namespace metamorph::graph

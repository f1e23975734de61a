// The random networks that other tests build on: sound, reproducible, within their limits, and covering every operator.
#include "support/random_network.h"

#include <gtest/gtest.h>

#include <set>

namespace metamorph::test_support {
namespace {

constexpr std::uint64_t k_seeds = 400;

TEST(RandomNetwork, PassesVerifyWithinItsLimits) {
    const RandomNetworkOptions options{.has_relu_n1_to_1 = true};
    for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
        const graph::Graph graph = random_network(seed, options);
        const Status status = graph::verify(graph);
        ASSERT_TRUE(status) << "seed " << seed << ": " << describe(status.error()) << graph::print(graph);
        std::int64_t macs = 0;
        for (const graph::Operator& op : graph.operators) {
            macs += graph::macs(graph, op);
        }
        EXPECT_LE(macs, options.macs_max) << "seed " << seed;
    }
}

TEST(RandomNetwork, SameSeedSameNetwork) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(random_network(seed), random_network(seed));
        EXPECT_NE(graph::print(random_network(seed)), graph::print(random_network(seed + 1)));
    }
}

TEST(RandomNetwork, CoversEveryOperatorAndItsVariants) {
    std::set<std::string> found;
    const auto note = [&](bool condition, const char* what) {
        if (condition) {
            found.insert(what);
        }
    };
    for (std::uint64_t seed = 0; seed < k_seeds; ++seed) {
        const graph::Graph graph = random_network(seed, {.has_relu_n1_to_1 = true});
        note(graph.inputs.size() > 1, "several inputs");
        note(graph.outputs.size() > 1, "several outputs");
        for (const graph::Operator& op : graph.operators) {
            found.insert(graph::name_of(op));
            const auto tensor = [&](std::size_t i) { return graph.tensors[static_cast<std::size_t>(op.inputs[i])]; };
            if (const auto* conv = std::get_if<graph::Conv2D>(&op.attributes)) {
                note(conv->dilation_h > 1 && conv->padding == graph::Padding::same, "dilated SAME convolution");
                note(conv->stride_w > 1, "strided convolution");
                note(op.inputs[2] == -1, "convolution without bias");
                note(tensor(1).quantization->per_channel(), "filter per channel");
                note(!tensor(1).quantization->per_channel(), "filter per tensor");
                note(tensor(0).shape[0] > 1, "batch");
            } else if (const auto* depthwise = std::get_if<graph::DepthwiseConv2D>(&op.attributes)) {
                note(depthwise->depth_multiplier > 1, "depth multiplier");
            } else if (const auto* dense = std::get_if<graph::FullyConnected>(&op.attributes)) {
                note(op.inputs[2] == -1, "dense without bias");
                note(dense->keep_num_dims, "keep_num_dims");
            } else if (const auto* pool = std::get_if<graph::Pool2D>(&op.attributes)) {
                note(pool->padding == graph::Padding::same, "pooling with padding");
            } else if (std::holds_alternative<graph::Elementwise>(op.attributes)) {
                note(tensor(0).shape.empty() || tensor(1).shape.empty(), "scalar operand");
                note(tensor(0).is_constant() || tensor(1).is_constant(), "constant operand");
                note(op.inputs[0] == op.inputs[1], "same operand twice");
            } else if (const auto* mean = std::get_if<graph::Mean>(&op.attributes)) {
                note(mean->keep_dims, "mean keeping dimensions");
                note(!mean->keep_dims, "mean dropping dimensions");
            } else if (std::holds_alternative<graph::Quantize>(op.attributes)) {
                note(tensor(0).type == graph::DataType::int8, "requantising");
                note(tensor(0).type == graph::DataType::float32, "float input");
            }
        }
    }
    for (const char* what : {"ADD",
                             "AVERAGE_POOL_2D",
                             "CONCATENATION",
                             "CONV_2D",
                             "DEPTHWISE_CONV_2D",
                             "DEQUANTIZE",
                             "FULLY_CONNECTED",
                             "MAX_POOL_2D",
                             "MEAN",
                             "MUL",
                             "PAD",
                             "PADV2",
                             "QUANTIZE",
                             "RELU",
                             "RELU6",
                             "RELU_N1_TO_1",
                             "RESHAPE",
                             "SOFTMAX",
                             "several inputs",
                             "several outputs",
                             "dilated SAME convolution",
                             "strided convolution",
                             "convolution without bias",
                             "filter per channel",
                             "filter per tensor",
                             "batch",
                             "depth multiplier",
                             "dense without bias",
                             "keep_num_dims",
                             "pooling with padding",
                             "scalar operand",
                             "constant operand",
                             "same operand twice",
                             "mean keeping dimensions",
                             "mean dropping dimensions",
                             "requantising",
                             "float input"}) {
        EXPECT_TRUE(found.contains(what)) << what;
    }
}

}  // namespace
}  // namespace metamorph::test_support

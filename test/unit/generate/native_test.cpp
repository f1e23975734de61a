// What the generator says of its code, and that it is true of the code: the entry's parameters, where outputs live,
// aliases, copies, names, refusals.
#include <gtest/gtest.h>

#include "generate/generator.h"
#include "generate/slices.h"
#include "golden/native/small_graphs.h"

namespace metamorph::generate {
namespace {

graph::Graph small(const std::string& name) {
    for (test::SmallGraph& one : test::small_graphs()) {
        if (one.name == name) {
            return one.graph;
        }
    }
    return {};
}

graph::Tensor int8_tensor(std::vector<std::int64_t> shape) {
    graph::Tensor tensor;
    tensor.shape = std::move(shape);
    tensor.quantization = graph::Quantization{{0.1F}, {0}, 0};
    return tensor;
}

graph::Operator reshape(int from, int to, int index) {
    graph::Operator op;
    op.attributes = graph::Reshape{};
    op.inputs = {from};
    op.outputs = {to};
    op.model_index = index;
    return op;
}

graph::Operator relu(int from, int to, int index) {
    graph::Operator op = reshape(from, to, index);
    op.attributes = graph::Relu{graph::Activation::relu};
    return op;
}

GeneratedCode generated(const graph::Graph& graph) {
    const auto code = generate_native(graph, {});
    EXPECT_TRUE(code) << describe(code.error());
    return code ? *code : GeneratedCode{};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Native, DescribesTheEntry) {
    const GeneratedCode code = generated(small("convolutions"));
    EXPECT_EQ(code.prefix, "convolutions");
    EXPECT_EQ(code.entry, "convolutions_invoke");
    EXPECT_EQ(code.header, "convolutions.h");
    ASSERT_EQ(code.parameters.size(), 3U);
    EXPECT_EQ(code.parameters[0].name, "input");
    EXPECT_EQ(code.parameters[0].bytes, 84);
    EXPECT_EQ(code.parameters[1].name, "output");
    EXPECT_EQ(code.parameters[1].bytes, 24);
    EXPECT_EQ(code.parameters[2].role, EntryParameter::Role::arena);
    EXPECT_EQ(code.parameters[2].bytes, code.arena_bytes);
    EXPECT_EQ(code.operator_outputs.size(), 4U);
    EXPECT_EQ(code.operator_outputs[3].parameter, 1);
    for (const std::string& source : code.sources) {
        EXPECT_EQ(code.files.count(source), 1U) << source;
    }
    EXPECT_EQ(code.files.count(code.example), 1U);
}

const EntryCall& call_of(const GeneratedCode& code, const std::string& function) {
    for (const EntryCall& call : code.calls) {
        if (call.function == function) {
            return call;
        }
    }
    ADD_FAILURE() << "no call of " << function;
    return code.calls.front();
}

TEST(Native, DeclaresTheOuterLoopOfEachCall) {
    const GeneratedCode code = generated(small("classifier"));
    ASSERT_EQ(code.calls.size(), 4U);  // the Reshape has none
    const EntryCall& pool = call_of(code, "classifier_average_pool2d_00");
    ASSERT_TRUE(pool.outer_loop);
    EXPECT_EQ(pool.outer_loop->function, "classifier_average_pool2d_00_rows");
    EXPECT_EQ(pool.outer_loop->rounds, 9);
    EXPECT_EQ(pool.outer_loop->unit, "positions");
    EXPECT_EQ(pool.output_bytes, 27);
    EXPECT_EQ(pool.why_no_slices, "");
    const EntryCall& dense = call_of(code, "classifier_fully_connected_03");
    ASSERT_TRUE(dense.outer_loop);
    EXPECT_EQ(dense.outer_loop->rounds, 5);
    EXPECT_EQ(dense.outer_loop->unit, "channels");
    EXPECT_EQ(dense.macs, 60);
    const EntryCall& softmax = call_of(code, "classifier_softmax_04");
    EXPECT_FALSE(softmax.outer_loop);
    EXPECT_TRUE(contains(softmax.why_no_slices, "sum over all"));
    EXPECT_FALSE(contains(code.files.at("classifier_layers.h"), "classifier_softmax_04_rows"));
}

TEST(Native, SlicesEndAtWholeBlocksWhereThatLeavesEnough) {
    using Bounds = std::vector<std::int64_t>;
    EXPECT_EQ(slice_bounds(64, 1, 4), (Bounds{0, 16, 32, 48, 64}));
    EXPECT_EQ(slice_bounds(64, 4, 3), (Bounds{0, 20, 40, 64}));
    EXPECT_EQ(slice_bounds(18, 4, 5), (Bounds{0, 4, 8, 12, 16, 18}));
    EXPECT_EQ(slice_bounds(18, 4, 6), (Bounds{0, 3, 6, 9, 12, 15, 18}));
    EXPECT_EQ(slice_bounds(10, 16, 3), (Bounds{0, 3, 6, 10}));
    for (int slices = 1; slices <= 50; ++slices) {
        for (const std::int64_t whole : {1, 2, 4, 8, 16}) {
            const Bounds bounds = slice_bounds(50, whole, slices);
            ASSERT_EQ(bounds.size(), static_cast<std::size_t>(slices) + 1);
            EXPECT_EQ(bounds.front(), 0);
            EXPECT_EQ(bounds.back(), 50);
            for (std::size_t i = 1; i < bounds.size(); ++i) {
                EXPECT_LT(bounds[i - 1], bounds[i]) << slices << " slices, stretches of " << whole;
            }
        }
    }
    EntryCall call;
    EXPECT_EQ(rounds_of_whole_blocks(call), 1);
    call.outer_loop = OuterLoop{"net_conv_rows", 64, "positions"};
    for (const auto& [bytes, whole] : std::vector<std::pair<int, int>>{{1, 16}, {3, 16}, {16, 1}, {20, 4}, {64, 1}}) {
        call.output_bytes = 64 * bytes;
        EXPECT_EQ(rounds_of_whole_blocks(call), whole) << bytes;
    }
}

TEST(Native, SlicedEntryCallsEachRoundOnce) {
    const GeneratedCode code = generated(small("classifier"));
    EXPECT_EQ(sliced_entry(code, {1, 1, 1, 1}), code.files.at("classifier.c"));
    const std::string entry = sliced_entry(code, {2, 1, 3, 1});
    const std::string pool =
        "classifier_average_pool2d_00_rows(input, arena + " + std::to_string(code.operator_outputs[0].offset) + ", ";
    EXPECT_TRUE(contains(entry, pool + "0, 4);\n    " + pool + "4, 9);\n    classifier_max_pool2d_01(")) << entry;
    for (const char* rounds : {", 0, 1);", ", 1, 3);", ", 3, 5);\n    classifier_softmax_04("}) {
        EXPECT_TRUE(contains(entry, rounds)) << rounds << "\n" << entry;
    }
    EXPECT_FALSE(contains(entry, "classifier_fully_connected_03(")) << entry;
}

TEST(Native, LeavesOutAnEmptyArena) {
    graph::Graph graph;
    graph.name = "one";
    graph.tensors = {int8_tensor({4}), int8_tensor({4})};
    graph.operators = {relu(0, 1, 0)};
    graph.inputs = {0};
    graph.outputs = {1};
    const GeneratedCode code = generated(graph);
    EXPECT_EQ(code.arena_bytes, 0);
    EXPECT_EQ(code.parameters.size(), 2U);
    EXPECT_TRUE(
        contains(code.files.at("one.h"), "void one_invoke(const int8_t input[static 4], int8_t output[static 4]);"));
}

TEST(Native, ReshapeInTheMiddleIsAnAlias) {
    const GeneratedCode code = generated(small("classifier"));
    const OperatorOutput& pooled = code.operator_outputs[1];
    const OperatorOutput& reshaped = code.operator_outputs[2];
    EXPECT_EQ(reshaped.function, "");
    EXPECT_EQ(reshaped.parameter, pooled.parameter);
    EXPECT_EQ(reshaped.offset, pooled.offset);
    EXPECT_TRUE(contains(code.files.at("classifier.c"), "Operator 2 (RESHAPE) has no call"));
}

TEST(Native, ProducerWritesAnOutputThatIsReshaped) {
    graph::Graph graph;
    graph.name = "tail";
    graph.tensors = {int8_tensor({4}), int8_tensor({4}), int8_tensor({2, 2})};
    graph.operators = {relu(0, 1, 0), reshape(1, 2, 1)};
    graph.inputs = {0};
    graph.outputs = {2};
    const GeneratedCode code = generated(graph);
    EXPECT_EQ(code.operator_outputs[0].parameter, 1);
    EXPECT_EQ(code.operator_outputs[1].function, "");
    EXPECT_EQ(code.arena_bytes, 0);
}

TEST(Native, ReshapeFromInputToOutputIsACopy) {
    graph::Graph graph;
    graph.name = "copy";
    graph.tensors = {int8_tensor({4}), int8_tensor({2, 2})};
    graph.operators = {reshape(0, 1, 0)};
    graph.inputs = {0};
    graph.outputs = {1};
    const GeneratedCode code = generated(graph);
    EXPECT_EQ(code.operator_outputs[0].function, "copy_reshape_00");
    EXPECT_TRUE(contains(code.files.at("copy.c"), "    copy_reshape_00(input, output);\n"));
}

TEST(Native, OutputGivenTwiceIsCopiedLast) {
    graph::Graph graph;
    graph.name = "twice";
    graph.tensors = {int8_tensor({4}), int8_tensor({4})};
    graph.operators = {relu(0, 1, 0)};
    graph.inputs = {0};
    graph.outputs = {1, 1};
    const auto code = generate_native(graph, {});
    if (!code) {
        EXPECT_EQ(code.error().code, ErrorCode::model);  // the verifier may refuse it
        return;
    }
    EXPECT_TRUE(contains(code->files.at("twice.c"), "    twice_copy_to_output_1(output_0, output_1);\n"));
}

TEST(Native, MakesAPrefixOfAnyName) {
    graph::Graph graph = small("convolutions");
    graph.name = "7-Segment.v2";
    EXPECT_EQ(generated(graph).prefix, "model_7_segment_v2");
    graph.name = "éß";
    EXPECT_EQ(generated(graph).prefix, "model");
}

TEST(Native, RefusesAPrefixThatIsNoIdentifier) {
    NativeOptions options;
    options.prefix = "a-b";
    const auto code = generate_native(small("convolutions"), options);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::options);
    EXPECT_TRUE(contains(code.error().message, "\"a-b\""));
}

TEST(Native, RefusesABiasThatOverflowsTheAccumulator) {
    graph::Graph graph = small("convolutions");
    graph::Tensor& bias = graph.tensors[static_cast<std::size_t>(graph.operators[0].inputs[2])];
    bias.data[0] = bias.data[1] = bias.data[2] = std::byte{0xff};
    bias.data[3] = std::byte{0x7f};
    const auto code = generate_native(graph, {});
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::model);
    EXPECT_TRUE(contains(code.error().message, "accumulator")) << code.error().message;
    EXPECT_TRUE(contains(code.error().where, "operator 0 (CONV_2D)")) << code.error().where;
}

TEST(Native, NoFileNamesAnAbsoluteFolder) {
    for (const test::SmallGraph& one : test::small_graphs()) {
        for (const auto& [path, text] : generated(one.graph).files) {
            EXPECT_FALSE(contains(text, "/home") || contains(text, "/tmp")) << path;
        }
    }
}

// A header's name that the C library or the runtime has, in a folder that is searched first, would stand in for theirs.
TEST(Native, TakesNoPrefixThatNamesAHeaderOfOthers) {
    graph::Graph network = small("classifier");
    for (const char* name : {"errno", "signal", "stddef", "string", "time", "features", "Math", "mm", "mm_host"}) {
        const auto refused = generate_native(network, {name, "", "", ""});
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, ErrorCode::options) << name;
        network.name = name;
        const auto made = generate_native(network, {"", "", "", ""});
        ASSERT_TRUE(made) << name;
        EXPECT_EQ(made->prefix.rfind("model_", 0), 0U) << made->prefix;
    }
    for (const char* name : {"signals", "timer", "mmm", "math2"}) {
        const auto made = generate_native(network, {name, "", "", ""});
        ASSERT_TRUE(made) << name;
        EXPECT_EQ(made->prefix, name);
    }
}

}  // namespace
}  // namespace metamorph::generate

// Forms that sound files take: old operator codes, buffers behind the flatbuffer, bytes that are not aligned, unknown
// dimensions in the signature, a bias with its filter's axis, negative axes, 64-bit operands, absent options.
#include <gtest/gtest.h>

#include <cstring>

#include "import/import.h"
#include "support/random_network.h"
#include "support/tflite_writer.h"
#include "unit/graph/sample_graphs.h"

namespace metamorph {
namespace {

using namespace graph;
using test_support::describe;
using test_support::ModelDescription;
using test_support::write_tflite;
namespace schema = tflite_schema;

void expect_imports_as(const ModelDescription& model, const Graph& graph) {
    const auto imported = import::import_tflite(write_tflite(model), graph.name);
    ASSERT_TRUE(imported) << metamorph::describe(imported.error());
    EXPECT_EQ(*imported, graph) << "expected:\n" << print(graph) << "read:\n" << print(*imported);
}

TEST(FileForms, OldOperatorCodes) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Graph graph = test_support::random_network(seed);
        ModelDescription model = describe(graph);
        model.has_old_codes = true;
        expect_imports_as(model, graph);
    }
}

TEST(FileForms, BuffersBehindTheFlatbuffer) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Graph graph = test_support::random_network(seed);
        ModelDescription model = describe(graph);
        model.has_buffers_behind = true;
        expect_imports_as(model, graph);
    }
}

TEST(FileForms, BytesThatAreNotAligned) {
    const Graph graph = conv_graph();
    const std::vector<std::byte> bytes = write_tflite(graph);
    for (std::size_t shift = 1; shift < 16; ++shift) {
        std::vector<std::byte> shifted(shift);
        shifted.insert(shifted.end(), bytes.begin(), bytes.end());
        const auto imported = import::import_tflite(std::span(shifted).subspan(shift), graph.name);
        ASSERT_TRUE(imported) << metamorph::describe(imported.error());
        EXPECT_EQ(*imported, graph);
    }
}

TEST(FileForms, UnknownBatchInTheSignature) {
    ModelDescription model = describe(conv_graph());
    model.tensors[0].shape_signature = {-1, 5, 6, 3};
    model.tensors[3].shape_signature = {-1, 3, 6, 4};
    expect_imports_as(model, conv_graph());
}

TEST(FileForms, NegativeAxesAndWideOperands) {
    const Graph mean = single(Mean{{1, 2}, false}, {activation({1, 4, 5, 3})}, activation({1, 3}, 0.05F));
    ModelDescription model = describe(mean);
    const std::int64_t axes[] = {-2, 1};
    model.tensors[2].type = schema::TensorType::INT64;
    model.tensors[2].data.resize(sizeof axes);
    std::memcpy(model.tensors[2].data.data(), axes, sizeof axes);
    expect_imports_as(model, mean);

    const Graph concat =
        single(Concatenation{1, Activation::none}, {activation({2, 3}), activation({2, 4})}, activation({2, 7}));
    model = describe(concat);
    model.operators[0].options = [](flatbuffers::FlatBufferBuilder& b) {
        return schema::CreateConcatenationOptions(b, -1).Union();
    };
    expect_imports_as(model, concat);
}

TEST(FileForms, ReshapeSaysItsShapeInAnyWay) {
    const Graph graph = single(Reshape{}, {activation({2, 6})}, activation({3, 4}));
    ModelDescription model = describe(graph);
    model.operators[0].options_type = schema::BuiltinOptions::NONE;  // an operand only
    model.operators[0].options = {};
    expect_imports_as(model, graph);
    const std::int32_t shape[] = {3, -1};  // with an extent to be inferred
    std::memcpy(model.tensors[2].data.data(), shape, sizeof shape);
    expect_imports_as(model, graph);
    model = describe(graph);  // options only
    model.operators[0].inputs.pop_back();
    expect_imports_as(model, graph);
    model.operators[0].options_type = schema::BuiltinOptions::NONE;  // neither
    model.operators[0].options = {};
    expect_imports_as(model, graph);
}

TEST(FileForms, OptionsThatMayBeAbsent) {
    ModelDescription model = describe(add_graph());
    model.operators[0].options_type = schema::BuiltinOptions::NONE;
    model.operators[0].options = {};
    expect_imports_as(model, add_graph());
}

TEST(FileForms, DepthMultiplierLeftToTheShapes) {
    ModelDescription model = describe(depthwise_graph());
    model.operators[0].options = [](flatbuffers::FlatBufferBuilder& b) {
        return schema::CreateDepthwiseConv2DOptions(b, schema::Padding::VALID, 1, 1, 0,
                                                    schema::ActivationFunctionType::NONE, 1, 2)
            .Union();
    };
    expect_imports_as(model, depthwise_graph());
}

// Converters of 2019 did so; TensorFlow Lite never looks.
TEST(FileForms, ABiasMayCarryItsFiltersAxis) {
    Graph graph = depthwise_graph();
    for (const std::size_t id : {1, 2}) {
        Quantization& quantization = *graph.tensors[id].quantization;
        quantization.scale.assign(6, quantization.scale[0]);
        quantization.zero_point.assign(6, 0);
    }
    graph.tensors[1].quantization->axis = 3;
    ModelDescription model = describe(graph);
    model.tensors[2].axis = 3;
    expect_imports_as(model, graph);
}

TEST(FileForms, UnusedTensorsAreDroppedAndTheRestKeepsItsOrder) {
    ModelDescription model = describe(conv_graph());
    test_support::TensorDescription unused;
    unused.name = "unused";
    unused.type = schema::TensorType::STRING;  // what nobody uses may be anything
    unused.shape = {-5};
    model.tensors.insert(model.tensors.begin(), unused);
    const auto shift = [](std::vector<std::int32_t>& ids) {
        for (std::int32_t& id : ids) {
            ++id;
        }
    };
    shift(model.operators[0].inputs);
    shift(model.operators[0].outputs);
    shift(model.inputs);
    shift(model.outputs);
    expect_imports_as(model, conv_graph());
}

}  // namespace
}  // namespace metamorph

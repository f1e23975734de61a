// What the importer refuses, one small model a refusal: code, position and words of the error.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "import/import.h"
#include "support/tflite_writer.h"
#include "unit/graph/sample_graphs.h"

namespace metamorph {
namespace {

using namespace graph;
using test_support::describe;
using test_support::ModelDescription;
namespace schema = tflite_schema;
using Builder = flatbuffers::FlatBufferBuilder;

void expect_refused(const ModelDescription& model, const std::string& where, const std::string& words) {
    const auto graph = import::import_tflite(test_support::write_tflite(model), "broken");
    ASSERT_FALSE(graph) << "imported, though it should say: " << words;
    EXPECT_EQ(graph.error().code, ErrorCode::model);
    EXPECT_EQ(graph.error().where, where);
    EXPECT_NE(graph.error().message.find(words), std::string::npos) << graph.error().message;
}

void expect_refused(const Graph& sound, const std::function<void(ModelDescription&)>& change, const std::string& where,
                    const std::string& words) {
    ModelDescription model = describe(sound);
    change(model);
    expect_refused(model, where, words);
}

constexpr const char* k_conv = "operator 0 (CONV_2D)";

TEST(Refusal, NoTfliteFile) {
    for (const char* text : {"", "TFL3",
                             "\x7f"
                             "ELF.............",
                             "some text that is long enough"}) {
        const auto graph = import::import_tflite(std::as_bytes(std::span(text, std::strlen(text))), "text");
        ASSERT_FALSE(graph);
        EXPECT_EQ(graph.error().code, ErrorCode::model);
        EXPECT_NE(graph.error().message.find("not a TensorFlow Lite file"), std::string::npos);
    }
}

TEST(Refusal, CutOffAtEveryLength) {
    const std::vector<std::byte> bytes = test_support::write_tflite(conv_graph());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto graph = import::import_tflite(std::span(bytes).first(size), "cut");
        if (!graph) {
            EXPECT_EQ(graph.error().code, ErrorCode::model);
        } else {
            EXPECT_GE(size + 16, bytes.size()) << "only padding may be missing";
        }
    }
}

TEST(Refusal, FileThatCannotBeRead) {
    const auto graph = import::import_file("/nonexistent/model.tflite");
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().code, ErrorCode::system);
}

TEST(Refusal, VersionAndSubgraphs) {
    expect_refused(conv_graph(), [](auto& m) { m.version = 2; }, "model file", "schema version is 2; supported: 3");
    expect_refused(conv_graph(), [](auto& m) { m.subgraphs = 2; }, "model file", "it has 2 subgraphs; supported: 1");
    expect_refused(conv_graph(), [](auto& m) { m.subgraphs = 0; }, "model file", "it has 0 subgraphs; supported: 1");
}

TEST(Refusal, OperatorsThatAreNotSupported) {
    const auto with_code = [](schema::BuiltinOperator code) {
        return [code](ModelDescription& m) { m.operators[0].code = static_cast<std::int32_t>(code); };
    };
    const std::string supported =
        "supported: ADD, AVERAGE_POOL_2D, CONCATENATION, CONV_2D, DEPTHWISE_CONV_2D, DEQUANTIZE, FULLY_CONNECTED, "
        "MAX_POOL_2D, MEAN, MUL, PAD, PADV2, QUANTIZE, RELU, RELU6, RELU_N1_TO_1, RESHAPE, SOFTMAX";
    expect_refused(conv_graph(), with_code(schema::BuiltinOperator::LSTM), "operator 0 (LSTM)",
                   "the operator LSTM is not supported; " + supported);
    expect_refused(conv_graph(), with_code(schema::BuiltinOperator::GELU), "operator 0 (GELU)",
                   "the operator GELU is not supported; " + supported);
    expect_refused(
        conv_graph(), [](auto& m) { m.operators[0].code = 300; }, "operator 0 (unknown code 300)",
        "unknown code 300 is not supported");
    expect_refused(
        conv_graph(),
        [](auto& m) {
            m.operators[0].code = static_cast<std::int32_t>(schema::BuiltinOperator::CUSTOM);
            m.operators[0].custom_code = "My\nOperator";
        },
        "operator 0 (CUSTOM 'My?Operator')", "the operator CUSTOM 'My?Operator' is not supported");
}

TEST(Refusal, PositionIsThatOfTheModel) {
    ModelDescription model = describe(conv_graph());
    test_support::TensorDescription more = model.tensors[3];
    model.tensors.push_back(more);
    model.operators.push_back({.code = static_cast<std::int32_t>(schema::BuiltinOperator::TANH),
                               .custom_code = "",
                               .inputs = {3},
                               .outputs = {4},
                               .options_type = schema::BuiltinOptions::NONE,
                               .options = {},
                               .opcode_index = {}});
    expect_refused(model, "operator 1 (TANH)", "the operator TANH is not supported");
}

TEST(Refusal, IdsOutOfRange) {
    expect_refused(
        conv_graph(), [](auto& m) { m.operators[0].opcode_index = 1; }, "operator 0",
        "operator code 1; the model has 1");
    expect_refused(conv_graph(), [](auto& m) { m.operators[0].inputs[1] = 4; }, k_conv, "there is no tensor 4");
    expect_refused(conv_graph(), [](auto& m) { m.operators[0].inputs[1] = -2; }, k_conv, "there is no tensor -2");
    expect_refused(conv_graph(), [](auto& m) { m.operators[0].outputs[0] = -1; }, k_conv, "there is no tensor -1");
    expect_refused(conv_graph(), [](auto& m) { m.inputs[0] = 99; }, "model inputs", "there is no tensor 99");
    expect_refused(conv_graph(), [](auto& m) { m.outputs[0] = -1; }, "model outputs", "there is no tensor -1");
    expect_refused(conv_graph(), [](auto& m) { m.tensors[1].buffer = 77; }, k_conv, "refers to buffer 77");
}

TEST(Refusal, TensorsThatAreNotSupported) {
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[0].is_variable = true; }, "model inputs",
        "is a variable; supported: dense tensors without state");
    expect_refused(conv_graph(), [](auto& m) { m.tensors[1].is_sparse = true; }, k_conv, "is sparse");
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[1].is_quantized_custom = true; }, k_conv, "quantised in a custom way");
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[1].external_buffer = 1; }, k_conv, "has its data in another file");
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[1].type = schema::TensorType::UINT8; }, k_conv,
        "tensor 1 'filter' is UINT8; supported: INT8");
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[1].type = static_cast<schema::TensorType>(99); }, k_conv,
        "of unknown type 99");
    expect_refused(conv_graph(), [](auto& m) { m.tensors[1].type = schema::TensorType::INT4; }, k_conv, "is INT4");
}

TEST(Refusal, FloatAndInt16Networks) {
    expect_refused(
        conv_graph(),
        [](auto& m) {
            for (auto& tensor : m.tensors) {
                tensor.type = schema::TensorType::FLOAT32;
                tensor.scale.clear();
                tensor.zero_point.clear();
                tensor.data.resize(tensor.data.size() * (tensor.name == "filter" ? 4 : 1));
            }
        },
        k_conv, "input 0 'activation' is float32; supported: int8");
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[0].type = schema::TensorType::INT16; }, k_conv,
        "input 0 'activation' is int16; supported: int8");
}

TEST(Refusal, ShapesThatAreAbsurd) {
    constexpr std::int32_t k_large = 2147483647;
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[0].shape = {k_large, k_large, k_large, k_large}; }, k_conv,
        "supported: 268435456 bytes");
    expect_refused(conv_graph(), [](auto& m) { m.tensors[0].shape[0] = -1; }, k_conv, "all known");
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[1].shape[0] = k_large; }, k_conv, "supported: 268435456 bytes");
    expect_refused(conv_graph(), [](auto& m) { m.tensors[1].shape[0] = 5; }, k_conv, "has 72 bytes of data");
    expect_refused(conv_graph(), [](auto& m) { m.tensors[0].shape.assign(100, 1); }, k_conv, "has 100 dimensions");
}

TEST(Refusal, Options) {
    expect_refused(
        conv_graph(),
        [](auto& m) {
            m.operators[0].options_type = schema::BuiltinOptions::SoftmaxOptions;
            m.operators[0].options = [](Builder& b) { return schema::CreateSoftmaxOptions(b, 1.0F).Union(); };
        },
        k_conv, "options are missing or of another operator");
    expect_refused(
        conv_graph(),
        [](auto& m) {
            m.operators[0].options_type = schema::BuiltinOptions::NONE;
            m.operators[0].options = {};
        },
        k_conv, "options are missing or of another operator");
    const auto conv_options = [](schema::Padding padding, schema::ActivationFunctionType activation, int stride) {
        return [=](ModelDescription& m) {
            m.operators[0].options = [=](Builder& b) {
                return schema::CreateConv2DOptions(b, padding, 1, stride, activation).Union();
            };
        };
    };
    expect_refused(conv_graph(), conv_options(schema::Padding::SAME, schema::ActivationFunctionType::TANH, 2), k_conv,
                   "its fused activation is TANH; supported: NONE, RELU, RELU_N1_TO_1, RELU6");
    expect_refused(conv_graph(), conv_options(schema::Padding::SAME, schema::ActivationFunctionType(77), 2), k_conv,
                   "unknown (77)");
    expect_refused(conv_graph(), conv_options(schema::Padding(7), schema::ActivationFunctionType::NONE, 2), k_conv,
                   "its padding is unknown (7); supported: SAME, VALID");
    expect_refused(conv_graph(), conv_options(schema::Padding::SAME, schema::ActivationFunctionType::NONE, 0), k_conv,
                   "stride 0x1");
    expect_refused(
        dense_graph(),
        [](auto& m) {
            m.operators[0].options = [](Builder& b) {
                return schema::CreateFullyConnectedOptions(b, schema::ActivationFunctionType::NONE,
                                                           schema::WeightsFormat::SHUFFLED4x16INT8)
                    .Union();
            };
        },
        "operator 0 (FULLY_CONNECTED)", "its weights are shuffled");
    expect_refused(
        single(Concatenation{1, Activation::none}, {activation({2, 3})}, activation({2, 3})),
        [](auto& m) {
            m.operators[0].options = [](Builder& b) { return schema::CreateConcatenationOptions(b, -3).Union(); };
        },
        "operator 0 (CONCATENATION)", "along axis -3 of 2 dimensions");
}

TEST(Refusal, OperandsThatMustBeConstant) {
    const Graph reshape = single(Reshape{}, {activation({2, 6})}, activation({3, 4}));
    const char* where = "operator 0 (RESHAPE)";
    expect_refused(reshape, [](auto& m) { m.tensors[2].data.clear(); }, where, "(the new shape) is computed");
    expect_refused(reshape, [](auto& m) { m.tensors[2].data.pop_back(); }, where, "(the new shape) has 7 bytes");
    expect_refused(
        reshape, [](auto& m) { m.tensors[2].shape = {2147483647, 2147483647, 4}; }, where, "(the new shape) has");
    expect_refused(reshape, [](auto& m) { m.tensors[2].shape = {-2}; }, where, "(the new shape) has");
    expect_refused(
        reshape, [](auto& m) { m.tensors[2].type = schema::TensorType::INT8; }, where, "is INT8; supported: INT32");
    expect_refused(reshape, [](auto& m) { m.tensors[2].data[0] = std::byte{4}; }, where, "contradicts the shape");
    expect_refused(reshape, [](auto& m) { m.operators[0].inputs = {}; }, where, "0 inputs; supported: 1 to 2");

    const Graph pad = single(Pad{{0, 1}, {2, 0}, 4}, {activation({2, 3})}, activation({4, 4}));
    where = "operator 0 (PADV2)";
    expect_refused(pad, [](auto& m) { m.tensors[2].data.clear(); }, where, "(the paddings) is computed");
    expect_refused(pad, [](auto& m) { m.tensors[2].shape = {4}; }, where, "is not a list of pairs");
    expect_refused(pad, [](auto& m) { m.tensors[3].data.clear(); }, where, "supported: a constant INT8");
    expect_refused(pad, [](auto& m) { m.tensors[3].scale[0] = 9; }, where, "quantised unlike the input");
    expect_refused(pad, [](auto& m) { m.operators[0].inputs[1] = -1; }, where, "input 1 (the paddings) is absent");
    expect_refused(pad, [](auto& m) { m.operators[0].inputs.pop_back(); }, where, "2 inputs; supported: 3 to 3");

    const Graph mean = single(Mean{{1}, false}, {activation({2, 3})}, activation({2}));
    where = "operator 0 (MEAN)";
    expect_refused(mean, [](auto& m) { m.tensors[2].data[0] = std::byte{2}; }, where, "reduces axis 2 of 2 dimensions");
    expect_refused(mean, [](auto& m) { m.tensors[2].data.assign(4, std::byte{0x80}); }, where, "reduces axis -");
    expect_refused(mean, [](auto& m) { m.operators[0].inputs.pop_back(); }, where, "1 inputs; supported: 2 to 2");
}

TEST(Refusal, GraphsThatDoNotHoldTogether) {
    expect_refused(conv_graph(), [](auto& m) { m.inputs.clear(); }, "model", "it has 0 inputs");
    expect_refused(conv_graph(), [](auto& m) { m.operators.clear(); }, "model", "0 operators");
    expect_refused(
        conv_graph(), [](auto& m) { m.tensors[1].data.clear(); }, k_conv,
        "tensor 1 'filter' is read, but it is neither a constant nor an input nor computed");
    expect_refused(conv_graph(), [](auto& m) { m.tensors[2].scale[0] *= 2; }, k_conv, "input scale * filter scale is");
    expect_refused(
        conv_graph(),
        [](auto& m) {
            m.has_buffers_behind = true;
            m.behind_offset_added = 1000;
        },
        k_conv, "beyond the end of the file");
    expect_refused(
        conv_graph(),
        [](auto& m) {
            m.has_buffers_behind = true;
            m.behind_offset_added = -10000;  // wraps to an enormous offset
        },
        k_conv, "beyond the end of the file");
}

// A few kilobytes that describe gigabytes, because tables share what they refer to.
TEST(Refusal, SmallFileThatDescribesGigabytes) {
    ModelDescription model = describe(add_graph());
    const std::int32_t shared = 1 << 20;
    model.tensors.push_back(model.tensors[0]);
    model.tensors.back().shape = {shared};
    model.tensors.back().data.resize(shared);
    for (int i = 0; i < 3000; ++i) {
        test_support::TensorDescription tensor = model.tensors[0];
        tensor.shape = {shared};
        tensor.buffer = 1;
        model.operators[0].inputs.push_back(static_cast<std::int32_t>(model.tensors.size()));
        model.tensors.push_back(tensor);
    }
    expect_refused(model, "operator 0 (ADD)", "more than the limit of 268435456 bytes");
}

}  // namespace
}  // namespace metamorph

// Graph → ModelDescription: attributes become option tables and constant operands, the reverse of what the importer
// folds.
#include <cstring>

#include "support/tflite_writer.h"

namespace metamorph::test_support {

namespace {

using flatbuffers::FlatBufferBuilder;

schema::TensorType type_of(graph::DataType type) {
    switch (type) {
        case graph::DataType::int8:
            return schema::TensorType::INT8;
        case graph::DataType::int16:
            return schema::TensorType::INT16;
        case graph::DataType::int32:
            return schema::TensorType::INT32;
        case graph::DataType::int64:
            return schema::TensorType::INT64;
        case graph::DataType::float32:
            return schema::TensorType::FLOAT32;
    }
    return schema::TensorType::INT8;
}

schema::ActivationFunctionType activation_of(graph::Activation activation) {
    switch (activation) {
        case graph::Activation::none:
            return schema::ActivationFunctionType::NONE;
        case graph::Activation::relu:
            return schema::ActivationFunctionType::RELU;
        case graph::Activation::relu_n1_to_1:
            return schema::ActivationFunctionType::RELU_N1_TO_1;
        case graph::Activation::relu6:
            return schema::ActivationFunctionType::RELU6;
    }
    return schema::ActivationFunctionType::NONE;
}

schema::Padding padding_of(graph::Padding padding) {
    return padding == graph::Padding::same ? schema::Padding::SAME : schema::Padding::VALID;
}

// Describes one operator; `model` gains the tensors that it needs beyond the graph's.
struct DescribeOperator {
    ModelDescription& model;
    OperatorDescription& out;

    void set(schema::BuiltinOperator code, schema::BuiltinOptions type,
             std::function<flatbuffers::Offset<void>(FlatBufferBuilder&)> options) const {
        out.code = static_cast<std::int32_t>(code);
        out.options_type = type;
        out.options = std::move(options);
    }
    void add_operand(TensorDescription tensor) const {
        out.inputs.push_back(static_cast<std::int32_t>(model.tensors.size()));
        model.tensors.push_back(std::move(tensor));
    }
    void add_integers(const char* name, const std::vector<std::int32_t>& values,
                      std::vector<std::int32_t> shape) const {
        TensorDescription tensor;
        tensor.name = name;
        tensor.type = schema::TensorType::INT32;
        tensor.shape = std::move(shape);
        tensor.data.resize(values.size() * sizeof(std::int32_t));
        if (!values.empty()) {
            std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
        }
        add_operand(std::move(tensor));
    }
    void drop_absent_bias() const {
        if (out.inputs.size() == 3 && out.inputs[2] == -1) {
            out.inputs.pop_back();
        }
    }

    void operator()(const graph::Conv2D& op) const {
        drop_absent_bias();
        set(schema::BuiltinOperator::CONV_2D, schema::BuiltinOptions::Conv2DOptions, [op](FlatBufferBuilder& b) {
            return schema::CreateConv2DOptions(b, padding_of(op.padding), op.stride_w, op.stride_h,
                                               activation_of(op.activation), op.dilation_w, op.dilation_h)
                .Union();
        });
    }
    void operator()(const graph::DepthwiseConv2D& op) const {
        drop_absent_bias();
        set(schema::BuiltinOperator::DEPTHWISE_CONV_2D, schema::BuiltinOptions::DepthwiseConv2DOptions,
            [op](FlatBufferBuilder& b) {
                return schema::CreateDepthwiseConv2DOptions(b, padding_of(op.padding), op.stride_w, op.stride_h,
                                                            op.depth_multiplier, activation_of(op.activation),
                                                            op.dilation_w, op.dilation_h)
                    .Union();
            });
    }
    void operator()(const graph::FullyConnected& op) const {  // an absent bias stays -1, as converters write it
        set(schema::BuiltinOperator::FULLY_CONNECTED, schema::BuiltinOptions::FullyConnectedOptions,
            [op](FlatBufferBuilder& b) {
                return schema::CreateFullyConnectedOptions(b, activation_of(op.activation),
                                                           schema::WeightsFormat::DEFAULT, op.keep_num_dims)
                    .Union();
            });
    }
    void operator()(const graph::Pool2D& op) const {
        const bool is_average = op.kind == graph::Pool2D::Kind::average;
        set(is_average ? schema::BuiltinOperator::AVERAGE_POOL_2D : schema::BuiltinOperator::MAX_POOL_2D,
            schema::BuiltinOptions::Pool2DOptions, [op](FlatBufferBuilder& b) {
                return schema::CreatePool2DOptions(b, padding_of(op.padding), op.stride_w, op.stride_h, op.filter_w,
                                                   op.filter_h, activation_of(op.activation))
                    .Union();
            });
    }
    void operator()(const graph::Elementwise& op) const {
        if (op.kind == graph::Elementwise::Kind::add) {
            set(schema::BuiltinOperator::ADD, schema::BuiltinOptions::AddOptions, [op](FlatBufferBuilder& b) {
                return schema::CreateAddOptions(b, activation_of(op.activation)).Union();
            });
        } else {
            set(schema::BuiltinOperator::MUL, schema::BuiltinOptions::MulOptions, [op](FlatBufferBuilder& b) {
                return schema::CreateMulOptions(b, activation_of(op.activation)).Union();
            });
        }
    }
    void operator()(const graph::Relu& op) const {
        set(op.activation == graph::Activation::relu6          ? schema::BuiltinOperator::RELU6
            : op.activation == graph::Activation::relu_n1_to_1 ? schema::BuiltinOperator::RELU_N1_TO_1
                                                               : schema::BuiltinOperator::RELU,
            schema::BuiltinOptions::NONE, {});
    }
    void operator()(const graph::Reshape&) const {
        const std::vector<std::int32_t> shape = model.tensors[static_cast<std::size_t>(out.outputs[0])].shape;
        add_integers("new_shape", shape, {static_cast<std::int32_t>(shape.size())});
        set(schema::BuiltinOperator::RESHAPE, schema::BuiltinOptions::ReshapeOptions,
            [shape](FlatBufferBuilder& b) { return schema::CreateReshapeOptionsDirect(b, &shape).Union(); });
    }
    void operator()(const graph::Softmax& op) const {
        set(schema::BuiltinOperator::SOFTMAX, schema::BuiltinOptions::SoftmaxOptions,
            [op](FlatBufferBuilder& b) { return schema::CreateSoftmaxOptions(b, op.beta).Union(); });
    }
    void operator()(const graph::Pad& op) const {
        std::vector<std::int32_t> pairs;
        for (std::size_t i = 0; i < op.before.size(); ++i) {
            pairs.push_back(static_cast<std::int32_t>(op.before[i]));
            pairs.push_back(static_cast<std::int32_t>(op.after[i]));
        }
        const auto rank = static_cast<std::int32_t>(op.before.size());
        add_integers("paddings", pairs, {rank, 2});
        if (!op.pad_value) {
            set(schema::BuiltinOperator::PAD, schema::BuiltinOptions::PadOptions,
                [](FlatBufferBuilder& b) { return schema::CreatePadOptions(b).Union(); });
            return;
        }
        TensorDescription value;
        const TensorDescription& input = model.tensors[static_cast<std::size_t>(out.inputs[0])];
        value.name = "pad_value";
        value.scale = input.scale;
        value.zero_point = input.zero_point;
        value.data = {static_cast<std::byte>(*op.pad_value)};
        add_operand(std::move(value));
        set(schema::BuiltinOperator::PADV2, schema::BuiltinOptions::PadV2Options,
            [](FlatBufferBuilder& b) { return schema::CreatePadV2Options(b).Union(); });
    }
    void operator()(const graph::Mean& op) const {
        add_integers("axes", {op.axes.begin(), op.axes.end()}, {static_cast<std::int32_t>(op.axes.size())});
        set(schema::BuiltinOperator::MEAN, schema::BuiltinOptions::ReducerOptions,
            [op](FlatBufferBuilder& b) { return schema::CreateReducerOptions(b, op.keep_dims).Union(); });
    }
    void operator()(const graph::Concatenation& op) const {
        set(schema::BuiltinOperator::CONCATENATION, schema::BuiltinOptions::ConcatenationOptions,
            [op](FlatBufferBuilder& b) {
                return schema::CreateConcatenationOptions(b, op.axis, activation_of(op.activation)).Union();
            });
    }
    void operator()(const graph::Quantize&) const {
        set(schema::BuiltinOperator::QUANTIZE, schema::BuiltinOptions::QuantizeOptions,
            [](FlatBufferBuilder& b) { return schema::CreateQuantizeOptions(b).Union(); });
    }
    void operator()(const graph::Dequantize&) const {
        set(schema::BuiltinOperator::DEQUANTIZE, schema::BuiltinOptions::DequantizeOptions,
            [](FlatBufferBuilder& b) { return schema::CreateDequantizeOptions(b).Union(); });
    }
};

TensorDescription describe_tensor(const graph::Tensor& tensor) {
    TensorDescription out;
    out.name = tensor.name;
    out.type = type_of(tensor.type);
    for (const std::int64_t extent : tensor.shape) {
        out.shape.push_back(static_cast<std::int32_t>(extent));
    }
    if (tensor.quantization) {
        out.scale = tensor.quantization->scale;
        out.zero_point = tensor.quantization->zero_point;
        out.axis = tensor.quantization->axis;
    }
    out.data = tensor.data;
    return out;
}

}  // namespace

ModelDescription describe(const graph::Graph& graph) {
    ModelDescription model;
    for (const graph::Tensor& tensor : graph.tensors) {
        model.tensors.push_back(describe_tensor(tensor));
    }
    for (const graph::Operator& op : graph.operators) {
        OperatorDescription out;
        out.inputs = op.inputs;
        out.outputs = op.outputs;
        std::visit(DescribeOperator{model, out}, op.attributes);
        model.operators.push_back(std::move(out));
    }
    model.inputs = graph.inputs;
    model.outputs = graph.outputs;
    return model;
}

}  // namespace metamorph::test_support

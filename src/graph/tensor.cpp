// What a tensor and an operator are called, and how large they are.
#include "graph/graph.h"
#include "util/checked.h"

namespace metamorph::graph {

int element_bytes(DataType type) {
    switch (type) {
        case DataType::int8:
            return 1;
        case DataType::int16:
            return 2;
        case DataType::int32:
        case DataType::float32:
            return 4;
        case DataType::int64:
            return 8;
    }
    return 1;
}

const char* name_of(DataType type) {
    switch (type) {
        case DataType::int8:
            return "int8";
        case DataType::int16:
            return "int16";
        case DataType::int32:
            return "int32";
        case DataType::int64:
            return "int64";
        case DataType::float32:
            return "float32";
    }
    return "unknown";
}

const char* name_of(Activation activation) {
    switch (activation) {
        case Activation::none:
            return "NONE";
        case Activation::relu:
            return "RELU";
        case Activation::relu_n1_to_1:
            return "RELU_N1_TO_1";
        case Activation::relu6:
            return "RELU6";
    }
    return "unknown";
}

const char* name_of(Padding padding) {
    return padding == Padding::same ? "SAME" : "VALID";
}

namespace {

struct OperatorName {
    const char* operator()(const Conv2D&) const { return "CONV_2D"; }
    const char* operator()(const DepthwiseConv2D&) const { return "DEPTHWISE_CONV_2D"; }
    const char* operator()(const FullyConnected&) const { return "FULLY_CONNECTED"; }
    const char* operator()(const Pool2D& pool) const {
        return pool.kind == Pool2D::Kind::average ? "AVERAGE_POOL_2D" : "MAX_POOL_2D";
    }
    const char* operator()(const Elementwise& op) const { return op.kind == Elementwise::Kind::add ? "ADD" : "MUL"; }
    const char* operator()(const Relu& relu) const { return name_of(relu.activation); }
    const char* operator()(const Reshape&) const { return "RESHAPE"; }
    const char* operator()(const Softmax&) const { return "SOFTMAX"; }
    const char* operator()(const Pad& pad) const { return pad.pad_value ? "PADV2" : "PAD"; }
    const char* operator()(const Mean&) const { return "MEAN"; }
    const char* operator()(const Concatenation&) const { return "CONCATENATION"; }
    const char* operator()(const Quantize&) const { return "QUANTIZE"; }
    const char* operator()(const Dequantize&) const { return "DEQUANTIZE"; }
};

}  // namespace

const char* name_of(const Operator& op) {
    return std::visit(OperatorName{}, op.attributes);
}

std::string position_of(const Operator& op) {
    return fmt::format("operator {} ({})", op.model_index, name_of(op));
}

std::int64_t Tensor::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) {
        product = saturating_multiply(product, extent);
    }
    return product;
}

std::int64_t Tensor::bytes() const {
    return saturating_multiply(elements(), element_bytes(type));
}

}  // namespace metamorph::graph

// Small graphs of one operator that pass verify, for tests to break.
#pragma once

#include <cstring>

#include "graph/graph.h"

namespace metamorph::graph {

inline Tensor activation(std::vector<std::int64_t> shape, float scale = 0.1F, std::int64_t zero_point = 0) {
    Tensor tensor;
    tensor.name = "activation";
    tensor.shape = std::move(shape);
    tensor.quantization = Quantization{{scale}, {zero_point}, 0};
    return tensor;
}

inline Tensor filter(std::vector<std::int64_t> shape, float scale = 0.02F) {
    Tensor tensor = activation(std::move(shape), scale);
    tensor.name = "filter";
    tensor.data.assign(static_cast<std::size_t>(tensor.elements()), std::byte{3});
    return tensor;
}

inline Tensor bias(std::int64_t channels, std::int32_t value = 5, float scale = 0.1F * 0.02F) {
    Tensor tensor = activation({channels}, scale);
    tensor.name = "bias";
    tensor.type = DataType::int32;
    tensor.data.resize(static_cast<std::size_t>(channels) * sizeof value);
    for (std::size_t i = 0; i < static_cast<std::size_t>(channels); ++i) {
        std::memcpy(tensor.data.data() + i * sizeof value, &value, sizeof value);
    }
    return tensor;
}

// One operator; `operands` that are not constant are the model's inputs.
inline Graph single(Attributes attributes, std::vector<Tensor> operands, Tensor output) {
    Graph graph;
    Operator op;
    op.attributes = std::move(attributes);
    op.model_index = 0;
    for (Tensor& operand : operands) {
        const auto id = static_cast<TensorId>(graph.tensors.size());
        op.inputs.push_back(id);
        if (!operand.is_constant()) {
            graph.inputs.push_back(id);
        }
        graph.tensors.push_back(std::move(operand));
    }
    op.outputs = {static_cast<TensorId>(graph.tensors.size())};
    graph.outputs = op.outputs;
    graph.tensors.push_back(std::move(output));
    graph.operators.push_back(std::move(op));
    return graph;
}

inline Graph conv_graph() {  // tensors: 0 input, 1 filter, 2 bias, 3 output
    return single(Conv2D{Padding::same, 2, 1, 1, 1, Activation::relu},
                  {activation({1, 5, 6, 3}), filter({4, 3, 2, 3}), bias(4)}, activation({1, 3, 6, 4}));
}
inline Graph depthwise_graph() {
    return single(DepthwiseConv2D{Padding::valid, 1, 1, 2, 1, 2, Activation::none},
                  {activation({1, 5, 6, 3}), filter({1, 2, 2, 6}), bias(6)}, activation({1, 3, 5, 6}));
}
inline Graph dense_graph() {
    return single(FullyConnected{}, {activation({2, 8}), filter({4, 8}), bias(4)}, activation({2, 4}));
}
inline Graph pool_graph() {
    return single(Pool2D{Pool2D::Kind::average, Padding::valid, 2, 2, 2, 2, Activation::none},
                  {activation({1, 4, 6, 3})}, activation({1, 2, 3, 3}));
}
inline Graph add_graph() {
    return single(Elementwise{}, {activation({1, 4, 6, 3}), activation({6, 1}, 0.2F)}, activation({1, 4, 6, 3}, 0.3F));
}

}  // namespace metamorph::graph

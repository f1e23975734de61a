// Builds the graphs with a little tensor factory; weights come from a fixed linear congruential sequence.
#include "golden/native/small_graphs.h"

#include <cstring>
#include <utility>

namespace metamorph::test {
namespace {

using graph::TensorId;

class Builder {
public:
    explicit Builder(std::string name) { m_graph.name = std::move(name); }

    TensorId int8(std::vector<std::int64_t> shape, float scale, std::int64_t zero_point) {
        graph::Tensor tensor;
        tensor.shape = std::move(shape);
        tensor.quantization = graph::Quantization{{scale}, {zero_point}, 0};
        return add(std::move(tensor));
    }
    TensorId float32(std::vector<std::int64_t> shape) {
        graph::Tensor tensor;
        tensor.type = graph::DataType::float32;
        tensor.shape = std::move(shape);
        return add(std::move(tensor));
    }
    TensorId constant(std::vector<std::int64_t> shape, float scale, std::int64_t zero_point) {
        const TensorId id = int8(std::move(shape), scale, zero_point);
        for (std::int64_t i = 0; i < at(id).elements(); ++i) {
            at(id).data.push_back(static_cast<std::byte>(random() >> 24));
        }
        return id;
    }
    // A filter with a scale for each entry of dimension `axis`, and the bias that goes with it and an input.
    std::pair<TensorId, TensorId> filter(std::vector<std::int64_t> shape, int axis, TensorId input) {
        const TensorId weights = constant(std::move(shape), 0.01F, 0);
        const std::int64_t channels = at(weights).shape[static_cast<std::size_t>(axis)];
        graph::Quantization& q = *at(weights).quantization;
        q.axis = axis;
        q.scale.clear();
        q.zero_point.assign(static_cast<std::size_t>(channels), 0);
        for (std::int64_t i = 0; i < channels; ++i) {
            q.scale.push_back(0.01F + 0.004F * static_cast<float>(i));
        }
        for (std::byte& b : at(weights).data) {
            b = b == std::byte{0x80} ? std::byte{0x81} : b;  // filters are symmetric: never -128
        }
        return {weights, bias(weights, channels, input)};
    }
    TensorId bias(TensorId weights, std::int64_t channels, TensorId input) {
        graph::Tensor tensor;
        tensor.type = graph::DataType::int32;
        tensor.shape = {channels};
        tensor.quantization = *at(weights).quantization;
        tensor.quantization->axis = 0;
        for (float& scale : tensor.quantization->scale) {
            scale *= at(input).quantization->scale[0];
        }
        tensor.data.resize(static_cast<std::size_t>(channels) * 4);
        for (std::int64_t i = 0; i < channels; ++i) {
            const std::int32_t value = static_cast<std::int32_t>(random() >> 20) - 2048;
            std::memcpy(tensor.data.data() + 4 * i, &value, 4);
        }
        return add(std::move(tensor));
    }
    void op(graph::Attributes attributes, std::vector<TensorId> inputs, TensorId output) {
        graph::Operator op;
        op.attributes = std::move(attributes);
        op.inputs = std::move(inputs);
        op.outputs = {output};
        op.model_index = static_cast<int>(m_graph.operators.size());
        m_graph.operators.push_back(std::move(op));
    }
    graph::Graph done(std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
        m_graph.inputs = std::move(inputs);
        m_graph.outputs = std::move(outputs);
        return std::move(m_graph);
    }

private:
    TensorId add(graph::Tensor tensor) {
        tensor.name = "t" + std::to_string(m_graph.tensors.size());
        m_graph.tensors.push_back(std::move(tensor));
        return static_cast<TensorId>(m_graph.tensors.size()) - 1;
    }
    graph::Tensor& at(TensorId id) { return m_graph.tensors[static_cast<std::size_t>(id)]; }
    std::uint32_t random() { return m_random = m_random * 1664525U + 1013904223U; }

    graph::Graph m_graph;
    std::uint32_t m_random = 7;
};

SmallGraph convolutions() {
    Builder b("convolutions");
    const TensorId input = b.int8({1, 7, 6, 2}, 0.05F, 3);
    const TensorId strided = b.int8({1, 4, 3, 4}, 0.2F, -128);
    const TensorId dilated = b.int8({1, 4, 3, 3}, 0.9F, 5);
    const TensorId deep = b.int8({1, 4, 3, 6}, 1.1F, -20);
    const TensorId point = b.int8({1, 4, 3, 2}, 4.0F, 0);
    auto [w0, b0] = b.filter({4, 3, 3, 2}, 0, input);
    b.op(graph::Conv2D{graph::Padding::same, 2, 2, 1, 1, graph::Activation::relu}, {input, w0, b0}, strided);
    auto [w1, b1] = b.filter({3, 2, 2, 4}, 0, strided);
    b.op(graph::Conv2D{graph::Padding::same, 1, 1, 2, 2, graph::Activation::none}, {strided, w1, b1}, dilated);
    auto [w2, b2] = b.filter({1, 3, 3, 6}, 3, dilated);
    b.op(graph::DepthwiseConv2D{graph::Padding::same, 1, 1, 1, 1, 2, graph::Activation::relu6}, {dilated, w2, b2},
         deep);
    auto [w3, b3] = b.filter({2, 1, 1, 6}, 0, deep);
    b.op(graph::Conv2D{graph::Padding::valid, 1, 1, 1, 1, graph::Activation::none}, {deep, w3, b3}, point);
    return {"convolutions", b.done({input}, {point})};
}

SmallGraph classifier() {
    Builder b("classifier");
    const TensorId input = b.int8({1, 6, 6, 3}, 0.05F, -5);
    const TensorId averaged = b.int8({1, 3, 3, 3}, 0.05F, -5);
    const TensorId largest = b.int8({1, 2, 2, 3}, 0.05F, -5);
    const TensorId flat = b.int8({1, 12}, 0.05F, -5);
    const TensorId logits = b.int8({1, 5}, 0.3F, 10);
    const TensorId shares = b.int8({1, 5}, 1.0F / 256, -128);
    b.op(graph::Pool2D{graph::Pool2D::Kind::average, graph::Padding::valid, 2, 2, 2, 2, graph::Activation::none},
         {input}, averaged);
    b.op(graph::Pool2D{graph::Pool2D::Kind::max, graph::Padding::same, 2, 2, 2, 2, graph::Activation::none}, {averaged},
         largest);
    b.op(graph::Reshape{}, {largest}, flat);
    const TensorId weights = b.constant({5, 12}, 0.02F, 0);
    const TensorId bias = b.bias(weights, 5, flat);
    b.op(graph::FullyConnected{graph::Activation::none, false}, {flat, weights, bias}, logits);
    b.op(graph::Softmax{1.0F}, {logits}, shares);
    return {"classifier", b.done({input}, {shares})};
}

SmallGraph elementwise() {
    Builder b("elementwise");
    const TensorId left = b.int8({1, 2, 3, 4}, 0.05F, 3);
    const TensorId right = b.int8({1, 2, 1, 4}, 0.07F, -9);
    const TensorId sum = b.int8({1, 2, 3, 4}, 0.1F, 1);
    const TensorId product = b.int8({1, 2, 3, 4}, 0.02F, 0);
    const TensorId positive = b.int8({1, 2, 3, 4}, 0.03F, -128);
    const TensorId bounded = b.int8({1, 2, 3, 4}, 0.03F, -128);
    b.op(graph::Elementwise{graph::Elementwise::Kind::add, graph::Activation::none}, {left, right}, sum);
    const TensorId factors = b.constant({4}, 0.01F, 0);
    b.op(graph::Elementwise{graph::Elementwise::Kind::mul, graph::Activation::relu_n1_to_1}, {sum, factors}, product);
    b.op(graph::Relu{graph::Activation::relu}, {product}, positive);
    b.op(graph::Relu{graph::Activation::relu6}, {positive}, bounded);
    return {"elementwise", b.done({left, right}, {bounded, sum})};
}

SmallGraph movement() {
    Builder b("movement");
    const TensorId input = b.float32({1, 3, 3, 2});
    const TensorId quantized = b.int8({1, 3, 3, 2}, 0.05F, 3);
    const TensorId padded = b.int8({1, 5, 4, 2}, 0.05F, 3);
    const TensorId rescaled = b.int8({1, 5, 4, 2}, 0.04F, -3);
    const TensorId joined = b.int8({1, 5, 4, 4}, 0.04F, -3);
    const TensorId mean = b.int8({1, 4}, 0.02F, 7);
    const TensorId output = b.float32({1, 4});
    b.op(graph::Quantize{}, {input}, quantized);
    b.op(graph::Pad{{0, 1, 0, 0}, {0, 1, 1, 0}, std::nullopt}, {quantized}, padded);
    b.op(graph::Quantize{}, {padded}, rescaled);
    b.op(graph::Concatenation{3, graph::Activation::none}, {rescaled, rescaled}, joined);
    b.op(graph::Mean{{1, 2}, false}, {joined}, mean);
    b.op(graph::Dequantize{}, {mean}, output);
    return {"movement", b.done({input}, {output})};
}

}  // namespace

std::vector<SmallGraph> small_graphs() {
    return {convolutions(), classifier(), elementwise(), movement()};
}

}  // namespace metamorph::test

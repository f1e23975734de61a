// Spreads are propagated as if values were independent and normal: crude, but enough to choose scales by. Filters are
// scaled so that a layer's output deviates by 0.3 to 5, where fused activations do something.
#include "support/random_layers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace metamorph::test_support {

using graph::Activation;
using graph::Quantization;
using graph::TensorId;

namespace {

constexpr double k_uniform_deviation = 74.0;  // of a uniformly random int8

std::vector<std::byte> bytes_of(const std::vector<std::int32_t>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

Quantization per_tensor(double scale, std::int64_t zero_point) {
    return {{static_cast<float>(scale)}, {zero_point}, 0};
}

}  // namespace

Spread RandomLayers::activated(Spread spread, Activation activation) {
    if (activation == Activation::none) {
        return spread;
    }
    if (activation == Activation::relu_n1_to_1) {
        return {0, std::min(spread.deviation, 0.8)};
    }
    const double mean = std::max(spread.mean, 0.0) + 0.4 * spread.deviation;
    const double limit = activation == Activation::relu6 ? 6.0 : 1e9;
    return {std::min(mean, limit / 2), std::min(0.6 * spread.deviation, limit / 3)};
}

// A range of 1.5 to 3 deviations around the mean that holds 0, as converters choose them, moved a little now and then.
Quantization RandomLayers::quantization_for(Spread spread, Activation activation) {
    const double reach = random.real(1.5, 3.0) * spread.deviation;
    double low = std::min(spread.mean - reach, 0.0);
    double high = std::max(spread.mean + reach, 0.0);
    if (activation == Activation::relu || activation == Activation::relu6) {
        low = random.chance(0.75) ? 0.0 : low / 4;
    }
    if (activation == Activation::relu_n1_to_1) {
        low = std::max(low, -1.0);
        high = std::min(high, 1.0);
    }
    const double scale = std::max(high - low, 1e-3) / 255.0;
    const auto zero_point = std::clamp<std::int64_t>(std::llround(-128.0 - low / scale), -128, 127);
    return per_tensor(scale, zero_point);
}

Activation RandomLayers::random_activation() {
    static const std::vector<Activation> k_choices = {Activation::none, Activation::none,  Activation::relu,
                                                      Activation::relu, Activation::relu6, Activation::relu_n1_to_1};
    return random.pick(k_choices);
}

TensorId RandomLayers::add_tensor(const char* kind, std::vector<std::int64_t> shape, Quantization quantization,
                                  Spread of_values) {
    graph::Tensor tensor;
    tensor.name = fmt::format("net/{}_{}", kind, graph.tensors.size());
    tensor.shape = std::move(shape);
    tensor.quantization = std::move(quantization);
    graph.tensors.push_back(std::move(tensor));
    m_spread.push_back(of_values);
    return static_cast<TensorId>(graph.tensors.size() - 1);
}

TensorId RandomLayers::add_constant(const char* kind, std::vector<std::int64_t> shape, Quantization quantization) {
    const double scale = quantization.scale[0];
    const double mean = -scale * static_cast<double>(quantization.zero_point[0]);
    const TensorId id =
        add_tensor(kind, std::move(shape), std::move(quantization), {mean, scale * k_uniform_deviation});
    graph::Tensor& tensor = graph.tensors.back();
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        tensor.data.push_back(static_cast<std::byte>(random.between(-127, 127)));
    }
    return id;
}

void RandomLayers::add_operator(graph::Attributes attributes, std::vector<TensorId> inputs, TensorId output) {
    graph.operators.push_back(
        {std::move(attributes), std::move(inputs), {output}, static_cast<int>(graph.operators.size())});
    m_macs += graph::macs(graph, graph.operators.back());
}

bool RandomLayers::fits(const std::vector<std::int64_t>& shape) const {
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) {
        elements *= extent;
    }
    return elements >= 1 && elements <= m_options.elements_max;
}

TensorId RandomLayers::add_input(const std::vector<std::int64_t>& shape, bool is_float) {
    const double scale = random.log_real(0.004, 0.5);
    const std::int64_t zero_point = random.between(-128, 127);
    const Spread of_values{scale * (-0.5 - static_cast<double>(zero_point)), scale * k_uniform_deviation};
    const TensorId quantized = add_tensor("input", shape, per_tensor(scale, zero_point), of_values);
    if (!is_float) {
        graph.inputs.push_back(quantized);
        return quantized;
    }
    const TensorId real = add_tensor("float_input", shape, {}, of_values);
    graph.tensors.back().type = graph::DataType::float32;
    graph.tensors.back().quantization.reset();
    graph.inputs.push_back(real);
    add_operator(graph::Quantize{}, {real}, quantized);
    return quantized;
}

bool RandomLayers::add_filtered(graph::Attributes attributes, TensorId x, const std::vector<std::int64_t>& filter_shape,
                                int axis, std::int64_t taps, const std::vector<std::int64_t>& output_shape,
                                Activation activation) {
    std::int64_t outputs = 1;
    for (const std::int64_t extent : output_shape) {
        outputs *= extent;
    }
    if (!fits(output_shape) || m_macs + outputs * taps > m_options.macs_max) {
        return false;
    }
    const Spread in = spread(x);
    const double deviation = random.log_real(0.3, 5.0);
    const double energy = static_cast<double>(taps) * (in.mean * in.mean + in.deviation * in.deviation);
    const double filter_scale = deviation / (k_uniform_deviation * std::sqrt(std::max(energy, 1e-12)));
    const std::int64_t channels = filter_shape[static_cast<std::size_t>(axis)];
    Quantization quantization = per_tensor(filter_scale, 0);
    if (channels > 1 && random.chance(0.7)) {
        quantization.axis = axis;
        quantization.zero_point.assign(static_cast<std::size_t>(channels), 0);
        quantization.scale.clear();
        for (std::int64_t c = 0; c < channels; ++c) {
            quantization.scale.push_back(static_cast<float>(filter_scale * random.log_real(0.4, 2.0)));
        }
    }
    const TensorId filter = add_constant("filter", filter_shape, quantization);
    TensorId bias = -1;
    if (random.chance(0.8)) {
        Quantization bias_quantization = quantization;
        bias_quantization.axis = 0;
        std::vector<std::int32_t> values;
        for (float& scale : bias_quantization.scale) {
            scale *= tensor(x).quantization->scale[0];
        }
        for (std::int64_t c = 0; c < channels; ++c) {
            const std::vector<float>& scales = bias_quantization.scale;
            const double scale = scales[scales.size() > 1 ? static_cast<std::size_t>(c) : 0];
            values.push_back(static_cast<std::int32_t>(random.real(-0.7, 0.7) * deviation / scale));
        }
        bias = add_tensor("bias", {channels}, std::move(bias_quantization), {});
        graph.tensors.back().type = graph::DataType::int32;
        graph.tensors.back().data = bytes_of(values);
    }
    const Spread out = activated({0, deviation * 1.1}, activation);
    const TensorId output = add_tensor("out", output_shape, quantization_for(out, activation), out);
    add_operator(std::move(attributes), {x, filter, bias}, output);
    return true;
}

bool RandomLayers::add_conv_2d(TensorId x) {
    if (!is_image(x)) {
        return false;
    }
    const std::vector<std::int64_t> in = tensor(x).shape;
    graph::Conv2D op;
    op.padding = random.chance(0.5) ? graph::Padding::same : graph::Padding::valid;
    op.stride_h = random.small(1, 3);
    op.stride_w = random.small(1, 3);
    op.dilation_h = random.chance(0.2) ? random.small(1, 3) : 1;
    op.dilation_w = random.chance(0.2) ? random.small(1, 3) : 1;
    op.activation = random_activation();
    const bool is_pointwise = random.chance(0.3);
    const int filter_h = is_pointwise ? 1 : random.small(1, 4), filter_w = is_pointwise ? 1 : random.small(1, 4);
    const std::int64_t channels = random.between(1, 12);
    const std::vector<std::int64_t> out = {
        in[0], graph::window(op.padding, in[1], filter_h, op.stride_h, op.dilation_h).output,
        graph::window(op.padding, in[2], filter_w, op.stride_w, op.dilation_w).output, channels};
    return add_filtered(op, x, {channels, filter_h, filter_w, in[3]}, 0, std::int64_t{filter_h} * filter_w * in[3], out,
                        op.activation);
}

bool RandomLayers::add_depthwise_conv_2d(TensorId x) {
    if (!is_image(x)) {
        return false;
    }
    const std::vector<std::int64_t> in = tensor(x).shape;
    graph::DepthwiseConv2D op;
    op.padding = random.chance(0.5) ? graph::Padding::same : graph::Padding::valid;
    op.stride_h = random.small(1, 3);
    op.stride_w = op.stride_h;
    op.dilation_h = random.chance(0.2) ? random.small(1, 3) : 1;
    op.dilation_w = random.chance(0.2) ? random.small(1, 3) : 1;
    op.depth_multiplier = random.chance(0.6) ? 1 : random.small(2, 3);
    op.activation = random_activation();
    const int filter_h = random.small(1, 4), filter_w = random.small(1, 4);
    const std::int64_t channels = in[3] * op.depth_multiplier;
    const std::vector<std::int64_t> out = {
        in[0], graph::window(op.padding, in[1], filter_h, op.stride_h, op.dilation_h).output,
        graph::window(op.padding, in[2], filter_w, op.stride_w, op.dilation_w).output, channels};
    return add_filtered(op, x, {1, filter_h, filter_w, channels}, 3, std::int64_t{filter_h} * filter_w, out,
                        op.activation);
}

bool RandomLayers::add_fully_connected(TensorId x) {
    const std::vector<std::int64_t> in = tensor(x).shape;
    if (in.empty()) {
        return false;
    }
    graph::FullyConnected op;
    op.activation = random_activation();
    op.keep_num_dims = in.size() > 1 && random.chance(0.3);
    const std::int64_t outputs = random.between(1, 16);
    const std::int64_t elements = tensor(x).elements();
    const std::int64_t batches = in.size() > 1 ? in[0] : 1;
    const std::int64_t inputs = op.keep_num_dims ? in.back() : elements / batches;
    std::vector<std::int64_t> out = {elements / inputs, outputs};
    if (op.keep_num_dims) {
        out = in;
        out.back() = outputs;
    }
    return add_filtered(op, x, {outputs, inputs}, 0, inputs, out, op.activation);
}

}  // namespace metamorph::test_support

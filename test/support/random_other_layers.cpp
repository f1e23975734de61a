// The layers without filters.
#include <algorithm>
#include <cmath>

#include "support/random_layers.h"

namespace metamorph::test_support {

using graph::Activation;
using graph::TensorId;

bool RandomLayers::add_pool_2d(TensorId x) {
    if (!is_image(x)) {
        return false;
    }
    const std::vector<std::int64_t> in = tensor(x).shape;
    graph::Pool2D op;
    op.kind = random.chance(0.5) ? graph::Pool2D::Kind::average : graph::Pool2D::Kind::max;
    op.padding = random.chance(0.5) ? graph::Padding::same : graph::Padding::valid;
    op.filter_h = random.small(1, 4);
    op.filter_w = random.small(1, 4);
    op.stride_h = random.small(1, 3);
    op.stride_w = random.small(1, 3);
    op.activation = random.chance(0.7) ? Activation::none : random_activation();
    const std::vector<std::int64_t> out = {in[0], graph::window(op.padding, in[1], op.filter_h, op.stride_h, 1).output,
                                           graph::window(op.padding, in[2], op.filter_w, op.stride_w, 1).output, in[3]};
    if (!fits(out)) {
        return false;
    }
    const TensorId y = add_tensor("pool", out, *tensor(x).quantization, activated(spread(x), op.activation));
    add_operator(op, {x}, y);
    return true;
}

// The other operand of a broadcast: an earlier tensor that fits, or a constant (a scalar, a channel vector, or extents
// of which some are 1; now and then one that is larger than x).
TensorId RandomLayers::elementwise_operand(TensorId x) {
    const std::vector<std::int64_t>& in = tensor(x).shape;
    const auto broadcasts = [&](const graph::Tensor& other) {
        if (other.is_constant() || other.type != graph::DataType::int8 || std::max(other.shape.size(), in.size()) > 4) {
            return false;
        }
        std::vector<std::int64_t> out = in;
        for (std::size_t i = 1; i <= std::min(other.shape.size(), in.size()); ++i) {
            const std::int64_t a = in[in.size() - i], b = other.shape[other.shape.size() - i];
            if (a != b && a != 1 && b != 1) {
                return false;
            }
            out[in.size() - i] = std::max(a, b);
        }
        return other.shape.size() <= in.size() && fits(out);
    };
    if (random.chance(0.6)) {
        std::vector<TensorId> others;
        for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
            if (broadcasts(graph.tensors[i])) {
                others.push_back(static_cast<TensorId>(i));
            }
        }
        return random.pick(others);  // x itself is always one of them
    }
    std::vector<std::int64_t> shape = in;
    const int form = random.small(0, 3);
    if (form == 0) {
        shape.clear();
    } else if (form == 1) {
        shape = {in.empty() ? 1 : in.back()};
    } else {
        for (std::int64_t& extent : shape) {
            extent = random.chance(0.5) ? 1 : extent == 1 && random.chance(0.5) ? random.between(1, 3) : extent;
        }
    }
    const double scale = random.log_real(0.5, 2.0) * std::max(spread(x).deviation, 1e-2) / 74.0;
    return add_constant("operand", shape, {{static_cast<float>(scale)}, {random.between(-128, 127)}, 0});
}

bool RandomLayers::add_elementwise(TensorId x) {
    if (tensor(x).shape.size() > 4) {
        return false;
    }
    graph::Elementwise op;
    op.kind = random.chance(0.6) ? graph::Elementwise::Kind::add : graph::Elementwise::Kind::mul;
    op.activation = random_activation();
    const TensorId other = elementwise_operand(x);
    std::vector<std::int64_t> out = tensor(x).shape;
    const std::vector<std::int64_t>& of_other = tensor(other).shape;
    for (std::size_t i = 1; i <= of_other.size(); ++i) {
        if (i <= out.size()) {
            out[out.size() - i] = std::max(out[out.size() - i], of_other[of_other.size() - i]);
        } else {
            out.insert(out.begin(), of_other[of_other.size() - i]);
        }
    }
    const Spread a = spread(x), b = spread(other);
    Spread result{a.mean + b.mean, std::hypot(a.deviation, b.deviation)};
    if (op.kind == graph::Elementwise::Kind::mul) {
        result = {a.mean * b.mean, std::hypot(a.mean * b.deviation, b.mean * a.deviation, a.deviation * b.deviation)};
    }
    result = activated(result, op.activation);
    graph::Quantization quantization = quantization_for(result, op.activation);
    if (op.kind == graph::Elementwise::Kind::mul) {  // a tightly clamped product must still fit 32 bits
        constexpr float k_ratio_max = 4096.0F;
        const float product = tensor(x).quantization->scale[0] * tensor(other).quantization->scale[0];
        quantization.scale[0] = std::max(quantization.scale[0], product / k_ratio_max);
    }
    const TensorId y = add_tensor("sum", out, std::move(quantization), result);
    const bool swapped = random.chance(0.5);
    add_operator(op, {swapped ? other : x, swapped ? x : other}, y);
    return true;
}

bool RandomLayers::add_relu(TensorId x) {
    graph::Relu op;
    const double choice = random.real(0, 1);
    op.activation = choice < 0.5                                  ? Activation::relu
                    : choice < 0.8 || !m_options.has_relu_n1_to_1 ? Activation::relu6
                                                                  : Activation::relu_n1_to_1;
    const Spread out = activated(spread(x), op.activation);
    // The reference's stand-alone ReLU6 clamps without a change of scale.
    const graph::Quantization quantization =
        op.activation == Activation::relu6 ? *tensor(x).quantization : quantization_for(out, op.activation);
    add_operator(op, {x}, add_tensor("relu", tensor(x).shape, quantization, out));
    return true;
}

bool RandomLayers::add_reshape(TensorId x) {
    const std::int64_t elements = tensor(x).elements();
    std::vector<std::int64_t> shape;
    std::int64_t rest = elements;
    const int dimensions = random.small(1, 4);
    for (int i = 1; i < dimensions; ++i) {
        std::vector<std::int64_t> divisors;
        for (std::int64_t d = 1; d <= std::min<std::int64_t>(rest, 40); ++d) {
            if (rest % d == 0) {
                divisors.push_back(d);
            }
        }
        shape.push_back(i == 1 && random.chance(0.7) ? 1 : random.pick(divisors));
        rest /= shape.back();
    }
    shape.push_back(rest);
    add_operator(graph::Reshape{}, {x}, add_tensor("reshape", shape, *tensor(x).quantization, spread(x)));
    return true;
}

bool RandomLayers::add_pad(TensorId x) {
    graph::Pad op;
    std::vector<std::int64_t> out = tensor(x).shape;
    if (out.empty() || out.size() > 4) {
        return false;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool is_batch = i == 0 && out.size() > 1;
        op.before.push_back(is_batch || random.chance(0.3) ? 0 : random.between(0, 2));
        op.after.push_back(is_batch || random.chance(0.3) ? 0 : random.between(0, 2));
        out[i] += op.before[i] + op.after[i];
    }
    if (!fits(out)) {
        return false;
    }
    if (random.chance(0.4)) {
        op.pad_value = random.small(-128, 127);
    }
    const TensorId y = add_tensor("pad", out, *tensor(x).quantization, spread(x));
    add_operator(std::move(op), {x}, y);
    return true;
}

bool RandomLayers::add_mean(TensorId x) {
    const std::vector<std::int64_t>& in = tensor(x).shape;
    graph::Mean op;
    op.keep_dims = random.chance(0.5);
    const bool is_global_pooling = in.size() == 4 && random.chance(0.4);
    std::vector<std::int64_t> out;
    double count = 1;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (is_global_pooling ? i == 1 || i == 2 : random.chance(0.4)) {
            op.axes.push_back(static_cast<int>(i));
            count *= static_cast<double>(in[i]);
            if (op.keep_dims) {
                out.push_back(1);
            }
        } else {
            out.push_back(in[i]);
        }
    }
    if (op.axes.empty() || in.size() > 4 || out.empty()) {
        return false;
    }
    const Spread result{spread(x).mean, spread(x).deviation / std::sqrt(count) * 1.5};
    const bool keeps_scale = random.chance(0.3);
    const TensorId y = add_tensor(
        "mean", out, keeps_scale ? *tensor(x).quantization : quantization_for(result, Activation::none), result);
    add_operator(std::move(op), {x}, y);
    return true;
}

// One more operand of a concatenation with x, whose quantisation it must share: x itself, another tensor brought to x's
// scale, or a constant.
TensorId RandomLayers::concatenation_operand(TensorId x, std::size_t axis) {
    const graph::Quantization quantization = *tensor(x).quantization;
    std::vector<TensorId> others;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const graph::Tensor& other = graph.tensors[i];
        std::vector<std::int64_t> shape = other.shape;
        if (other.type == graph::DataType::int8 && !other.is_constant() && shape.size() == tensor(x).shape.size()) {
            shape[axis] = tensor(x).shape[axis];
            if (shape == tensor(x).shape) {
                others.push_back(static_cast<TensorId>(i));
            }
        }
    }
    if (random.chance(0.6)) {
        const TensorId other = random.pick(others);
        if (*tensor(other).quantization == quantization) {
            return other;
        }
        const TensorId rescaled = add_tensor("rescaled", tensor(other).shape, quantization, spread(other));
        add_operator(graph::Quantize{}, {other}, rescaled);
        return rescaled;
    }
    std::vector<std::int64_t> shape = tensor(x).shape;
    shape[axis] = random.between(1, 3);
    return add_constant("part", shape, quantization);
}

bool RandomLayers::add_concatenation(TensorId x) {
    std::vector<std::int64_t> out = tensor(x).shape;
    if (out.empty() || out.size() > 4 || tensor(x).elements() * 4 > m_options.elements_max) {
        return false;
    }
    graph::Concatenation op;
    op.axis = random.small(0, static_cast<int>(out.size()) - 1);
    const auto axis = static_cast<std::size_t>(op.axis);
    std::vector<TensorId> inputs = {x};
    for (int more = random.small(0, 3); more > 0; --more) {
        const TensorId other = concatenation_operand(x, axis);
        inputs.insert(inputs.begin() + random.between(0, std::ssize(inputs)), other);
    }
    out[axis] = 0;
    for (const TensorId id : inputs) {
        out[axis] += tensor(id).shape[axis];
    }
    add_operator(op, inputs, add_tensor("concat", out, *tensor(x).quantization, spread(x)));
    return true;
}

bool RandomLayers::add_requantize(TensorId x) {
    const graph::Quantization quantization = quantization_for(spread(x), Activation::none);
    add_operator(graph::Quantize{}, {x}, add_tensor("requantized", tensor(x).shape, quantization, spread(x)));
    return true;
}

bool RandomLayers::add_softmax(TensorId x) {
    if (tensor(x).shape.empty() || tensor(x).shape.size() > 4 || tensor(x).shape.back() < 2) {
        return false;
    }
    const graph::Softmax op{random.chance(0.7) ? 1.0F : static_cast<float>(random.log_real(0.3, 3.0))};
    const TensorId y = add_tensor("softmax", tensor(x).shape, {{1.0F / 256.0F}, {-128}, 0}, {0.1, 0.2});
    add_operator(op, {x}, y);
    return true;
}

void RandomLayers::add_dequantize(TensorId x) {
    const TensorId y = add_tensor("float", tensor(x).shape, {}, spread(x));
    graph.tensors.back().type = graph::DataType::float32;
    graph.tensors.back().quantization.reset();
    add_operator(graph::Dequantize{}, {x}, y);
}

}  // namespace metamorph::test_support

// Rules of the operators without filters. Numeric limits are those of the reference kernels of TensorFlow Lite Micro:
// where those would overflow 32 bits or stop, the graph is refused.
#include <algorithm>
#include <cmath>

#include "graph/verify_operator.h"

namespace metamorph::graph {

namespace {

double scale_of(const Tensor& tensor) {
    return tensor.quantization->scale[0];
}

// One int8 tensor in and one out.
Status verify_unary(const Subject& subject) {
    MM_CHECK(subject.has_arity(1, 1));
    MM_CHECK(subject.is_activation(subject.input(0), subject.input_name(0)));
    return subject.is_activation(subject.output(), subject.output_name());
}

Status no_more_dimensions_than(const Subject& subject, std::size_t rank_max) {
    if (subject.input(0).shape.size() > rank_max) {
        return subject.refuse("{} has shape {}; supported: at most {} dimensions", subject.input_name(0),
                              shape_text(subject.input(0).shape), rank_max);
    }
    return {};
}

}  // namespace

Status VerifyOperator::operator()(const Pool2D& op) const {
    MM_CHECK(verify_unary(subject));
    MM_CHECK(subject.has_rank(subject.input(0), subject.input_name(0), 4));
    MM_CHECK(subject.keeps_quantization(0));
    if (op.stride_h < 1 || op.stride_w < 1 || op.filter_h < 1 || op.filter_w < 1) {
        return subject.refuse("stride {}x{} and filter {}x{}; supported: 1 and above", op.stride_h, op.stride_w,
                              op.filter_h, op.filter_w);
    }
    const std::vector<std::int64_t>& in = subject.input(0).shape;
    MM_CHECK(subject.has_output_shape({in[0], window(op.padding, in[1], op.filter_h, op.stride_h, 1).output,
                                       window(op.padding, in[2], op.filter_w, op.stride_w, 1).output, in[3]}));
    constexpr std::int64_t k_window_max = 1 << 23;  // 128 * this and its rounding stay below 2^31
    const std::int64_t window_elements =
        std::min<std::int64_t>(in[1], op.filter_h) * std::min<std::int64_t>(in[2], op.filter_w);
    if (window_elements > k_window_max) {
        return subject.refuse("its window has {} elements; supported: {}", window_elements, k_window_max);
    }
    return {};
}

Status VerifyOperator::operator()(const Elementwise& op) const {
    MM_CHECK(subject.has_arity(2, 2));
    MM_CHECK(subject.is_activation(subject.input(0), subject.input_name(0)));
    MM_CHECK(subject.is_activation(subject.input(1), subject.input_name(1)));
    MM_CHECK(subject.is_activation(subject.output(), subject.output_name()));
    const std::vector<std::int64_t>& a = subject.input(0).shape;
    const std::vector<std::int64_t>& b = subject.input(1).shape;
    std::vector<std::int64_t> expected(std::max(a.size(), b.size()));
    for (std::size_t from_last = 1; from_last <= expected.size(); ++from_last) {
        const std::int64_t of_a = from_last <= a.size() ? a[a.size() - from_last] : 1;
        const std::int64_t of_b = from_last <= b.size() ? b[b.size() - from_last] : 1;
        if (of_a != of_b && of_a != 1 && of_b != 1) {
            return subject.refuse("shapes {} and {} do not broadcast; supported: extents that are equal or 1",
                                  shape_text(a), shape_text(b));
        }
        expected[expected.size() - from_last] = std::max(of_a, of_b);
    }
    constexpr std::size_t k_broadcast_rank_max = 4;
    if (a != b && expected.size() > k_broadcast_rank_max) {
        return subject.refuse("shapes {} and {} broadcast over {} dimensions; supported: {}", shape_text(a),
                              shape_text(b), expected.size(), k_broadcast_rank_max);
    }
    MM_CHECK(subject.has_output_shape(expected));
    const double scale_a = scale_of(subject.input(0)), scale_b = scale_of(subject.input(1));
    const double scale_out = scale_of(subject.output());
    if (op.kind == Elementwise::Kind::mul) {
        return subject.requantizes(256.0 * 256.0, scale_a * scale_b / scale_out);
    }
    // The reference scales both inputs by 2^20 and demands that the way back is a multiplier below 1.
    if (2.0 * std::max(scale_a, scale_b) >= std::ldexp(scale_out, 20)) {
        return subject.refuse("scales {} and {} are too large for {} with scale {}; supported: below 2^19 times",
                              scale_a, scale_b, subject.output_name(), scale_out);
    }
    return {};
}

Status VerifyOperator::operator()(const Relu& op) const {
    MM_CHECK(verify_unary(subject));
    if (op.activation == Activation::none) {
        return subject.refuse("it has no activation; supported: RELU, RELU_N1_TO_1, RELU6");
    }
    MM_CHECK(subject.has_output_shape(subject.input(0).shape));
    return subject.requantizes(256.0, scale_of(subject.input(0)) / scale_of(subject.output()));
}

Status VerifyOperator::operator()(const Reshape&) const {
    MM_CHECK(verify_unary(subject));
    if (subject.input(0).elements() != subject.output().elements()) {
        return subject.refuse("{} has shape {}, which does not hold the {} elements of its input",
                              subject.output_name(), shape_text(subject.output().shape), subject.input(0).elements());
    }
    return subject.keeps_quantization(0);
}

Status VerifyOperator::operator()(const Softmax& op) const {
    MM_CHECK(verify_unary(subject));
    MM_CHECK(no_more_dimensions_than(subject, 4));
    if (subject.input(0).shape.empty()) {
        return subject.refuse("{} is a scalar; supported: 1 to 4 dimensions", subject.input_name(0));
    }
    MM_CHECK(subject.has_output_shape(subject.input(0).shape));
    constexpr std::int64_t k_depth_max = 4095;  // the reference sums this many exponentials in 12 integer bits
    if (subject.input(0).shape.back() > k_depth_max) {
        return subject.refuse("{} has {} entries in its last dimension; supported: {}", subject.input_name(0),
                              subject.input(0).shape.back(), k_depth_max);
    }
    const Quantization& out = *subject.output().quantization;
    if (out.scale[0] != 1.0F / 256.0F || out.zero_point[0] != -128) {
        return subject.refuse("{} has scale {} and zero point {}; supported: 1/256 and -128", subject.output_name(),
                              out.scale[0], out.zero_point[0]);
    }
    const double scale = scale_of(subject.input(0)) * static_cast<double>(op.beta);
    if (!std::isfinite(op.beta) || !(std::ldexp(scale, 26) > 1.0)) {
        return subject.refuse("beta {} times input scale {} is too small or not a number; supported: above 2^-26",
                              op.beta, scale_of(subject.input(0)));
    }
    return {};
}

Status VerifyOperator::operator()(const Pad& op) const {
    MM_CHECK(verify_unary(subject));
    MM_CHECK(no_more_dimensions_than(subject, 5));
    std::vector<std::int64_t> expected = subject.input(0).shape;
    if (op.before.size() != expected.size() || op.after.size() != expected.size()) {
        return subject.refuse("it pads {} dimensions of {}", op.before.size(), expected.size());
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (op.before[i] < 0 || op.after[i] < 0 || op.before[i] > k_tensor_bytes_max ||
            op.after[i] > k_tensor_bytes_max) {
            return subject.refuse("it pads dimension {} by {} and {}; supported: 0 to {}", i, op.before[i], op.after[i],
                                  k_tensor_bytes_max);
        }
        expected[i] += op.before[i] + op.after[i];
    }
    MM_CHECK(subject.has_output_shape(expected));
    if (op.pad_value && (*op.pad_value < -128 || *op.pad_value > 127)) {
        return subject.refuse("its padding value is {}; supported: int8", *op.pad_value);
    }
    return subject.keeps_quantization(0);
}

Status VerifyOperator::operator()(const Mean& op) const {
    MM_CHECK(verify_unary(subject));
    MM_CHECK(no_more_dimensions_than(subject, 5));
    const std::vector<std::int64_t>& in = subject.input(0).shape;
    std::vector<std::int64_t> expected;
    std::int64_t count = 1;
    std::size_t next = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (next < op.axes.size() && op.axes[next] == static_cast<int>(i)) {
            count *= in[i];
            ++next;
            if (op.keep_dims) {
                expected.push_back(1);
            }
        } else {
            expected.push_back(in[i]);
        }
    }
    if (op.axes.empty() || next != op.axes.size()) {
        return subject.refuse("its axes are {}; supported: one or more of the {} dimensions, ascending",
                              shape_text({op.axes.begin(), op.axes.end()}), in.size());
    }
    MM_CHECK(subject.has_output_shape(expected));
    return subject.requantizes(256.0 * static_cast<double>(count),
                               scale_of(subject.input(0)) / scale_of(subject.output()));
}

Status VerifyOperator::operator()(const Concatenation& op) const {
    MM_CHECK(subject.has_arity(1, std::size_t(-1)));
    MM_CHECK(subject.is_activation(subject.output(), subject.output_name()));
    if (op.activation != Activation::none) {
        return subject.refuse("it has the activation {}; supported: NONE", name_of(op.activation));
    }
    std::int64_t extent = 0;
    for (std::size_t i = 0; i < subject.op().inputs.size(); ++i) {
        if (!subject.has_input(i)) {
            return subject.refuse("input {} is absent; supported: a tensor", i);
        }
        const std::string name = subject.input_name(i);
        MM_CHECK(subject.is_activation(subject.input(i), name));
        MM_CHECK(subject.keeps_quantization(i));
        std::vector<std::int64_t> shape = subject.input(i).shape;
        if (op.axis < 0 || static_cast<std::size_t>(op.axis) >= shape.size()) {
            return subject.refuse("axis {} of {} with shape {}; supported: one of its dimensions", op.axis, name,
                                  shape_text(shape));
        }
        const auto axis = static_cast<std::size_t>(op.axis);
        extent += shape[axis];
        shape[axis] = axis < subject.output().shape.size() ? subject.output().shape[axis] : 0;
        MM_CHECK(subject.has_output_shape(shape));
    }
    std::vector<std::int64_t> expected = subject.output().shape;
    expected[static_cast<std::size_t>(op.axis)] = extent;
    return subject.has_output_shape(expected);
}

Status VerifyOperator::operator()(const Quantize&) const {
    MM_CHECK(subject.has_arity(1, 1));
    MM_CHECK(subject.is_activation(subject.output(), subject.output_name()));
    MM_CHECK(subject.has_output_shape(subject.input(0).shape));
    if (subject.input(0).type == DataType::float32) {
        return {};
    }
    if (subject.input(0).type != DataType::int8) {
        return subject.refuse("{} is {}; supported: float32, int8", subject.input_name(0),
                              name_of(subject.input(0).type));
    }
    MM_CHECK(subject.is_activation(subject.input(0), subject.input_name(0)));
    return subject.requantizes(256.0, scale_of(subject.input(0)) / scale_of(subject.output()));
}

Status VerifyOperator::operator()(const Dequantize&) const {
    MM_CHECK(subject.has_arity(1, 1));
    MM_CHECK(subject.is_activation(subject.input(0), subject.input_name(0)));
    MM_CHECK(subject.is_float(subject.output(), subject.output_name()));
    return subject.has_output_shape(subject.input(0).shape);
}

}  // namespace metamorph::graph

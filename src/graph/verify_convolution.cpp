// Rules of the operators that multiply by constant filters. Beyond shapes and quantisation, they bound the accumulator:
// with |x| <= 128 and |zero point| <= 128, |bias| + 256 * sum |w| bounds every partial sum, in the reference's order
// and with the zero point folded into the bias. A sum over the actual weights was preferred to a limit on their number,
// which would refuse large layers that cannot overflow.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "graph/verify_operator.h"

namespace metamorph::graph {

namespace {

std::int32_t int32_at(const Tensor& tensor, std::size_t i) {
    std::int32_t value = 0;
    std::memcpy(&value, tensor.data.data() + i * sizeof value, sizeof value);
    return value;
}

// A constant int8 filter without zero points, per tensor or per channel along `axis`, which holds the output channels.
Status verify_filter(const Subject& subject, int axis) {
    const Tensor& filter = subject.input(1);
    const std::string name = subject.input_name(1);
    if (filter.type != DataType::int8) {
        return subject.refuse("{} is {}; supported: int8", name, name_of(filter.type));
    }
    if (!filter.is_constant()) {
        return subject.refuse("{} is computed; supported: a constant filter", name);
    }
    if (!filter.quantization) {
        return subject.refuse("{} has no quantisation; supported: int8 with scales", name);
    }
    const Quantization& quantization = *filter.quantization;
    if (quantization.per_channel() && quantization.axis != axis) {
        return subject.refuse("{} is quantised along dimension {}; supported: dimension {}", name, quantization.axis,
                              axis);
    }
    if (std::any_of(quantization.zero_point.begin(), quantization.zero_point.end(), [](auto z) { return z != 0; })) {
        return subject.refuse("{} has a zero point other than 0; supported: symmetric filters", name);
    }
    return {};
}

Status verify_bias(const Subject& subject, std::int64_t channels) {
    if (!subject.has_input(2)) {
        return {};
    }
    const Tensor& bias = subject.input(2);
    const std::string name = subject.input_name(2);
    if (bias.type != DataType::int32) {
        return subject.refuse("{} is {}; supported: int32", name, name_of(bias.type));
    }
    if (!bias.is_constant()) {
        return subject.refuse("{} is computed; supported: a constant bias", name);
    }
    if (bias.elements() != channels || bias.shape.empty() || bias.shape.back() != channels) {
        return subject.refuse("{} has shape {}; supported: [{}], one entry a channel", name, shape_text(bias.shape),
                              channels);
    }
    if (!bias.quantization) {
        return subject.refuse("{} has no quantisation; supported: scale = input scale * filter scale", name);
    }
    const Quantization& filter = *subject.input(1).quantization;
    const double input_scale = subject.input(0).quantization->scale[0];
    const Quantization& quantization = *bias.quantization;
    if (quantization.scale.size() != filter.scale.size()) {
        return subject.refuse("{} has {} scales, but the filter has {}; supported: as many", name,
                              quantization.scale.size(), filter.scale.size());
    }
    for (std::size_t c = 0; c < quantization.scale.size(); ++c) {
        // The converter rounds the product to float; the tolerance is TensorFlow Lite's own order of magnitude.
        const double product = input_scale * filter.scale[c];
        if (std::fabs(product - quantization.scale[c]) > 1e-3 * product + std::numeric_limits<float>::denorm_min()) {
            return subject.refuse("{} has scale {} for channel {}, but input scale * filter scale is {}", name,
                                  quantization.scale[c], c, product);
        }
        if (quantization.zero_point[c] != 0) {
            return subject.refuse("{} has zero point {}; supported: 0", name, quantization.zero_point[c]);
        }
    }
    return {};
}

// `channel_stride`, `tap_stride`: distances in the filter between channels, and between the `taps` weights of one.
Status verify_accumulators(const Subject& subject, std::int64_t channels, std::int64_t channel_stride,
                           std::int64_t taps, std::int64_t tap_stride) {
    const Tensor& filter = subject.input(1);
    const double input_scale = subject.input(0).quantization->scale[0];
    const double output_scale = subject.output().quantization->scale[0];
    for (std::int64_t c = 0; c < channels; ++c) {
        std::int64_t bound = 0;
        for (std::int64_t t = 0; t < taps; ++t) {
            const auto weight =
                static_cast<std::int8_t>(filter.data[static_cast<std::size_t>(c * channel_stride + t * tap_stride)]);
            bound += 256 * std::abs(int{weight});
        }
        if (subject.has_input(2)) {
            bound += std::llabs(int32_at(subject.input(2), static_cast<std::size_t>(c)));
        }
        if (bound > std::numeric_limits<std::int32_t>::max()) {
            return subject.refuse("the accumulator of channel {} may reach {} and overflow; supported: 32 bits", c,
                                  bound);
        }
        const std::vector<float>& scales = filter.quantization->scale;
        const double filter_scale = scales[scales.size() > 1 ? static_cast<std::size_t>(c) : 0];
        MM_CHECK(subject.requantizes(static_cast<double>(bound), input_scale * filter_scale / output_scale));
    }
    return {};
}

// What Conv2D and DepthwiseConv2D share; the filter's extents 1 and 2 are its height and width.
template <typename Convolution>
Status verify_window(const Subject& subject, const Convolution& op, std::int64_t channels) {
    if (op.stride_h < 1 || op.stride_w < 1 || op.dilation_h < 1 || op.dilation_w < 1) {
        return subject.refuse("stride {}x{} and dilation {}x{}; supported: 1 and above", op.stride_h, op.stride_w,
                              op.dilation_h, op.dilation_w);
    }
    const std::vector<std::int64_t>& in = subject.input(0).shape;
    const std::vector<std::int64_t>& filter = subject.input(1).shape;
    const auto height = window(op.padding, in[1], static_cast<int>(filter[1]), op.stride_h, op.dilation_h).output;
    const auto width = window(op.padding, in[2], static_cast<int>(filter[2]), op.stride_w, op.dilation_w).output;
    return subject.has_output_shape({in[0], height, width, channels});
}

Status verify_operands(const Subject& subject, int channel_axis) {
    MM_CHECK(subject.has_arity(2, 3));
    MM_CHECK(subject.is_activation(subject.input(0), subject.input_name(0)));
    MM_CHECK(verify_filter(subject, channel_axis));
    return subject.is_activation(subject.output(), subject.output_name());
}

}  // namespace

Status VerifyOperator::operator()(const Conv2D& op) const {
    MM_CHECK(verify_operands(subject, 0));
    MM_CHECK(subject.has_rank(subject.input(0), subject.input_name(0), 4));
    MM_CHECK(subject.has_rank(subject.input(1), subject.input_name(1), 4));
    const std::vector<std::int64_t>& filter = subject.input(1).shape;
    if (filter[3] != subject.input(0).shape[3]) {
        return subject.refuse("{} has {} channels, but the filter has {}; supported: as many (one group)",
                              subject.input_name(0), subject.input(0).shape[3], filter[3]);
    }
    MM_CHECK(verify_bias(subject, filter[0]));
    MM_CHECK(verify_window(subject, op, filter[0]));
    const std::int64_t taps = filter[1] * filter[2] * filter[3];
    return verify_accumulators(subject, filter[0], taps, taps, 1);
}

Status VerifyOperator::operator()(const DepthwiseConv2D& op) const {
    MM_CHECK(verify_operands(subject, 3));
    MM_CHECK(subject.has_rank(subject.input(0), subject.input_name(0), 4));
    MM_CHECK(subject.has_rank(subject.input(1), subject.input_name(1), 4));
    const std::vector<std::int64_t>& filter = subject.input(1).shape;
    const std::int64_t input_channels = subject.input(0).shape[3];
    if (filter[0] != 1) {
        return subject.refuse("{} has shape {}; supported: a first extent of 1", subject.input_name(1),
                              shape_text(filter));
    }
    if (op.depth_multiplier < 1 || filter[3] % op.depth_multiplier != 0 ||
        filter[3] / op.depth_multiplier != input_channels) {
        return subject.refuse(
            "{} has {} channels, the filter {} and the depth multiplier is {}; supported: filter = "
            "input * multiplier",
            subject.input_name(0), input_channels, filter[3], op.depth_multiplier);
    }
    MM_CHECK(verify_bias(subject, filter[3]));
    MM_CHECK(verify_window(subject, op, filter[3]));
    return verify_accumulators(subject, filter[3], 1, filter[1] * filter[2], filter[3]);
}

Status VerifyOperator::operator()(const FullyConnected& op) const {
    MM_CHECK(verify_operands(subject, 0));
    MM_CHECK(subject.has_rank(subject.input(1), subject.input_name(1), 2));
    const Tensor& input = subject.input(0);
    const std::int64_t outputs = subject.input(1).shape[0];
    const std::int64_t inputs = subject.input(1).shape[1];
    if (input.elements() % inputs != 0) {
        return subject.refuse("{} has shape {}; supported: a multiple of the filter's {} inputs", subject.input_name(0),
                              shape_text(input.shape), inputs);
    }
    MM_CHECK(verify_bias(subject, outputs));
    const Tensor& output = subject.output();
    if (op.keep_num_dims) {
        std::vector<std::int64_t> expected = input.shape;
        if (expected.empty() || expected.back() != inputs) {
            return subject.refuse("{} has shape {}; supported: a last extent of {}, as keep_num_dims is set",
                                  subject.input_name(0), shape_text(expected), inputs);
        }
        expected.back() = outputs;
        MM_CHECK(subject.has_output_shape(expected));
    } else if (output.shape.empty() || output.shape.back() != outputs ||
               output.elements() / outputs != input.elements() / inputs) {
        return subject.refuse("{} has shape {}, but the operator computes [{}, {}]", subject.output_name(),
                              shape_text(output.shape), input.elements() / inputs, outputs);
    }
    return verify_accumulators(subject, outputs, inputs, inputs, 1);
}

}  // namespace metamorph::graph

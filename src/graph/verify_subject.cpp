// The questions that several operators' rules share.
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "graph/verify_operator.h"
#include "util/text.h"

namespace metamorph::graph {

std::string shape_text(const std::vector<std::int64_t>& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string Subject::input_name(std::size_t i) const {
    return fmt::format("input {} '{}'", i, printable(input(i).name));
}

std::string Subject::output_name() const {
    return fmt::format("output '{}'", printable(output().name));
}

Status Subject::has_arity(std::size_t inputs_min, std::size_t inputs_max) const {
    const std::size_t inputs = m_op.inputs.size();
    if (inputs < inputs_min || inputs > inputs_max) {
        return refuse("it has {} inputs; supported: {}", inputs,
                      inputs_min == inputs_max        ? fmt::format("{}", inputs_min)
                      : inputs_max == std::size_t(-1) ? fmt::format("{} or more", inputs_min)
                                                      : fmt::format("{} to {}", inputs_min, inputs_max));
    }
    for (std::size_t i = 0; i < inputs_min; ++i) {
        if (!has_input(i)) {
            return refuse("input {} is absent; supported: a tensor", i);
        }
    }
    if (m_op.outputs.size() != 1) {
        return refuse("it has {} outputs; supported: 1", m_op.outputs.size());
    }
    return {};
}

Status Subject::is_activation(const Tensor& tensor, const std::string& name) const {
    if (tensor.type != DataType::int8) {
        return refuse("{} is {}; supported: int8", name, name_of(tensor.type));
    }
    if (!tensor.quantization) {
        return refuse("{} has no quantisation; supported: int8 with a scale and a zero point", name);
    }
    if (tensor.quantization->per_channel()) {
        return refuse("{} is quantised per channel; supported: per tensor (per channel: filters only)", name);
    }
    return {};
}

Status Subject::is_float(const Tensor& tensor, const std::string& name) const {
    if (tensor.type != DataType::float32) {
        return refuse("{} is {}; supported: float32", name, name_of(tensor.type));
    }
    return {};
}

Status Subject::has_rank(const Tensor& tensor, const std::string& name, std::size_t rank) const {
    if (tensor.shape.size() != rank) {
        return refuse("{} has shape {}; supported: {} dimensions", name, shape_text(tensor.shape), rank);
    }
    return {};
}

Status Subject::has_output_shape(const std::vector<std::int64_t>& expected) const {
    if (output().shape != expected) {
        return refuse("{} has shape {}, but the operator computes {}", output_name(), shape_text(output().shape),
                      shape_text(expected));
    }
    return {};
}

Status Subject::keeps_quantization(std::size_t input_index) const {
    const Quantization& in = *input(input_index).quantization;
    const Quantization& out = *output().quantization;
    const float difference = std::fabs(in.scale[0] - out.scale[0]);
    if (in.zero_point[0] != out.zero_point[0] || difference > 1e-6F * std::fmax(in.scale[0], out.scale[0])) {
        return refuse("{} has scale {} and zero point {}, but {} has {} and {}; supported: the same on both",
                      input_name(input_index), in.scale[0], in.zero_point[0], output_name(), out.scale[0],
                      out.zero_point[0]);
    }
    return {};
}

Status Subject::requantizes(double bound, double multiplier) const {
    int exponent = 0;
    std::frexp(multiplier, &exponent);
    if (!std::isfinite(multiplier) || exponent > 30 ||
        std::ldexp(bound, exponent > 0 ? exponent : 0) > std::numeric_limits<std::int32_t>::max()) {
        return refuse(
            "the scales of its inputs are {} times that of {}, so that 32 bits may overflow; supported: scales that "
            "fit the values",
            multiplier, output_name());
    }
    return {};
}

}  // namespace metamorph::graph

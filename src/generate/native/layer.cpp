// Shared by the writers of operator families; see layer.h.
#include "generate/native/layer.h"

#include <algorithm>
#include <cstring>

namespace metamorph::generate::native {
namespace {

const char* suffix_of(graph::Activation activation) {
    switch (activation) {
        case graph::Activation::none:
            return "";
        case graph::Activation::relu:
            return "_relu";
        case graph::Activation::relu6:
            return "_relu6";
        case graph::Activation::relu_n1_to_1:
            return "_relu_n1_to_1";
    }
    return "";
}

struct NameOfKind {
    const graph::Operator& op;
    const graph::Graph& graph;
    std::pair<std::string, std::string> operator()(const graph::Conv2D& a) const {
        return {"conv2d", suffix_of(a.activation)};
    }
    std::pair<std::string, std::string> operator()(const graph::DepthwiseConv2D& a) const {
        return {"depthwise_conv2d", suffix_of(a.activation)};
    }
    std::pair<std::string, std::string> operator()(const graph::FullyConnected& a) const {
        return {"fully_connected", suffix_of(a.activation)};
    }
    std::pair<std::string, std::string> operator()(const graph::Pool2D& a) const {
        return {a.kind == graph::Pool2D::Kind::average ? "average_pool2d" : "max_pool2d", suffix_of(a.activation)};
    }
    std::pair<std::string, std::string> operator()(const graph::Elementwise& a) const {
        return {a.kind == graph::Elementwise::Kind::add ? "add" : "mul", suffix_of(a.activation)};
    }
    std::pair<std::string, std::string> operator()(const graph::Relu& a) const {
        return {std::string(suffix_of(a.activation)).erase(0, 1), ""};  // without its underscore
    }
    std::pair<std::string, std::string> operator()(const graph::Reshape&) const { return {"reshape", ""}; }
    std::pair<std::string, std::string> operator()(const graph::Softmax&) const { return {"softmax", ""}; }
    std::pair<std::string, std::string> operator()(const graph::Pad&) const { return {"pad", ""}; }
    std::pair<std::string, std::string> operator()(const graph::Mean&) const { return {"mean", ""}; }
    std::pair<std::string, std::string> operator()(const graph::Concatenation&) const { return {"concatenation", ""}; }
    std::pair<std::string, std::string> operator()(const graph::Quantize&) const { return {"quantize", ""}; }
    std::pair<std::string, std::string> operator()(const graph::Dequantize&) const { return {"dequantize", ""}; }
};

std::int64_t channel_of(const Requantization& r, std::size_t i) {
    return r.multipliers[i].value;
}

}  // namespace

std::string function_name(const std::string& prefix, const graph::Graph& graph, int operator_index) {
    const graph::Operator& op = graph.operators[static_cast<std::size_t>(operator_index)];
    const auto [kind, suffix] = std::visit(NameOfKind{op, graph}, op.attributes);
    const std::size_t width = std::max<std::size_t>(2, fmt::format("{}", graph.operators.size() - 1).size());
    return fmt::format("{}_{}_{:0{}}{}", prefix, kind, operator_index, width, suffix);
}

const char* c_type_of(graph::DataType type) {
    switch (type) {
        case graph::DataType::int8:
            return "int8_t";
        case graph::DataType::int16:
            return "int16_t";
        case graph::DataType::int32:
            return "int32_t";
        case graph::DataType::int64:
            return "int64_t";
        case graph::DataType::float32:
            return "float";
    }
    return "int8_t";
}

std::string add_constant(Layer& layer, const std::string& suffix, const std::string& c_type,
                         std::vector<std::int64_t> values, const std::string& note) {
    const std::string name = fmt::format("{}_{}", layer.function, suffix);
    layer.constants.push_back({name, c_type, std::move(values), note});
    return name;
}

std::string add_input(Layer& layer, const LayerContext& c, graph::TensorId tensor, const std::string& name) {
    if (c.tensor(tensor).is_constant()) {
        return add_constant(layer, name, c_type_of(c.tensor(tensor).type), constant_values(c.tensor(tensor)),
                            fmt::format("constant operand \"{}\"", name));
    }
    layer.ports.push_back({tensor, name, false});
    return name;
}

void add_output(Layer& layer, const LayerContext& c) {
    layer.ports.push_back({c.op.outputs[0], "output", true});
}

std::string outer_loop(Layer& layer, const std::string& variable, std::int64_t extent, const std::string& unit) {
    if (extent == 1 || layer.outer_loop) {
        return layer.body.loop(variable, extent);
    }
    layer.outer_loop = {extent, unit};
    layer.body.loop_between(variable, "first", "end");
    return variable;
}

std::vector<std::int64_t> constant_values(const graph::Tensor& tensor) {
    const auto elements = static_cast<std::size_t>(tensor.elements());
    std::vector<std::int64_t> values(elements);
    for (std::size_t i = 0; i < elements; ++i) {
        if (tensor.type == graph::DataType::int8) {
            values[i] = static_cast<std::int8_t>(tensor.data[i]);
        } else {
            std::int32_t value = 0;
            std::memcpy(&value, tensor.data.data() + 4 * i, 4);
            values[i] = value;
        }
    }
    return values;
}

float scale_of(const graph::Tensor& tensor) {
    return tensor.quantization->scale[0];
}
std::int64_t zero_point_of(const graph::Tensor& tensor) {
    return tensor.quantization->zero_point[0];
}

Result<ActivationRange> range_of(const LayerContext& c, graph::Activation activation) {
    const std::optional<ActivationRange> range =
        activation_range(activation, scale_of(c.output()), zero_point_of(c.output()));
    if (!range) {
        return fail(ErrorCode::model, c.where, "the activation's bound does not fit in 32 bits at output scale {}",
                    scale_of(c.output()));
    }
    return *range;
}

std::vector<Multiplier> channel_multipliers(const LayerContext& c, std::int64_t channels) {
    const std::vector<float>& filter_scales = c.input(1).quantization->scale;
    std::vector<Multiplier> multipliers;
    for (std::int64_t i = 0; i < channels; ++i) {
        const float filter_scale =
            filter_scales.size() > 1 ? filter_scales[static_cast<std::size_t>(i)] : filter_scales[0];
        multipliers.push_back(
            quantize_multiplier(static_cast<double>(scale_of(c.input(0))) * static_cast<double>(filter_scale) /
                                static_cast<double>(scale_of(c.output()))));
    }
    return multipliers;
}

std::string requantized(Layer& layer, const LayerContext& c, const Requantization& r, const std::string& accumulator,
                        const std::string& channel) {
    const auto& all = r.multipliers;
    const bool uniform = std::all_of(all.begin(), all.end(), [&](const Multiplier& m) { return m == all[0]; });
    const bool only_right = std::all_of(all.begin(), all.end(), [](const Multiplier& m) { return m.shift <= 0; });
    std::string multiplier = fmt::format("{}", all[0].value);
    std::string shift = fmt::format("{}", only_right ? -all[0].shift : all[0].shift);
    if (!uniform) {
        std::vector<std::int64_t> values, shifts;
        for (std::size_t i = 0; i < all.size(); ++i) {
            values.push_back(channel_of(r, i));
            shifts.push_back(only_right ? -all[i].shift : all[i].shift);
        }
        const std::string at = channel.empty() ? "0" : channel;
        multiplier = fmt::format(
            "{}[{}]",
            add_constant(layer, "multipliers", "int32_t", std::move(values), "Q0.31 factor of each output channel"),
            at);
        shift = fmt::format("{}[{}]",
                            add_constant(layer, "shifts", "int8_t", std::move(shifts),
                                         only_right ? "bits to shift right after the factor, a channel"
                                                    : "bits to shift left (positive) or right (negative), a channel"),
                            at);
    }
    return fmt::format("{}_requantize{}({}, {}, {}, {}, {}, {})", c.prefix, only_right ? "" : "_any", accumulator,
                       multiplier, shift, r.zero_point, r.range.min, r.range.max);
}

Result<std::vector<std::int64_t>> folded_biases(const LayerContext& c,
                                                const std::vector<std::vector<std::int64_t>>& weights, bool fold) {
    constexpr std::int64_t k_accumulator_max =
        (std::int64_t{1} << 31) - 512;  // leaves room for the output's zero point
    const std::int64_t zero_point = zero_point_of(c.input(0));
    std::vector<std::int64_t> biases(weights.size(), 0);
    if (c.has_input(2)) {
        biases = constant_values(c.input(2));
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::int64_t sum = 0;
        std::int64_t magnitude = 0;
        for (const std::int64_t w : weights[i]) {
            sum += w;
            magnitude += w < 0 ? -w : w;
        }
        if (fold) {
            biases[i] -= zero_point * sum;
        }
        const std::int64_t input_magnitude = fold ? 128 : std::max(127 - zero_point, 128 + zero_point);
        const std::int64_t bias_magnitude = biases[i] < 0 ? -biases[i] : biases[i];
        if (bias_magnitude + magnitude * input_magnitude > k_accumulator_max) {
            return fail(ErrorCode::model, c.where, "the 32-bit accumulator of output channel {} can overflow (bias {})",
                        i, biases[i]);
        }
    }
    return biases;
}

}  // namespace metamorph::generate::native

// The printed form of a graph: one line a tensor and one an operator. Floats are printed so that they read back
// exactly. Constants show their size and the first bytes, enough to tell two apart in a diff.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "graph/graph.h"
#include "util/text.h"

namespace metamorph::graph {

namespace {

std::string print_quantization(const Quantization& quantization) {
    constexpr std::size_t k_shown_max = 4;
    std::string text = " scale [";
    for (std::size_t i = 0; i < std::min(k_shown_max, quantization.scale.size()); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", quantization.scale[i]);
    }
    text += quantization.scale.size() > k_shown_max ? ", ...] zero [" : "] zero [";
    for (std::size_t i = 0; i < std::min(k_shown_max, quantization.zero_point.size()); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", quantization.zero_point[i]);
    }
    text += quantization.zero_point.size() > k_shown_max ? ", ...]" : "]";
    if (quantization.per_channel()) {
        text += fmt::format(" axis {}", quantization.axis);
    }
    return text;
}

std::string print_data(const std::vector<std::byte>& data) {
    constexpr std::size_t k_shown_max = 8;
    std::string text = fmt::format(" constant {} bytes", data.size());
    for (std::size_t i = 0; i < std::min(k_shown_max, data.size()); ++i) {
        text += fmt::format("{}{:02x}", i == 0 ? " " : "", std::to_integer<unsigned>(data[i]));
    }
    return data.size() > k_shown_max ? text + "..." : text;
}

struct PrintAttributes {
    static std::string activation_text(Activation activation) {
        return activation == Activation::none ? "" : fmt::format(" activation {}", name_of(activation));
    }
    template <typename Convolution>
    static std::string convolution(const Convolution& op) {
        return fmt::format(" {} stride {}x{} dilation {}x{}", name_of(op.padding), op.stride_h, op.stride_w,
                           op.dilation_h, op.dilation_w);
    }
    std::string operator()(const Conv2D& op) const { return convolution(op) + activation_text(op.activation); }
    std::string operator()(const DepthwiseConv2D& op) const {
        return convolution(op) + fmt::format(" multiplier {}", op.depth_multiplier) + activation_text(op.activation);
    }
    std::string operator()(const FullyConnected& op) const {
        return std::string(op.keep_num_dims ? " keep_num_dims" : "") + activation_text(op.activation);
    }
    std::string operator()(const Pool2D& op) const {
        return fmt::format(" {} filter {}x{} stride {}x{}", name_of(op.padding), op.filter_h, op.filter_w, op.stride_h,
                           op.stride_w) +
               activation_text(op.activation);
    }
    std::string operator()(const Elementwise& op) const { return activation_text(op.activation); }
    std::string operator()(const Softmax& op) const { return fmt::format(" beta {}", op.beta); }
    std::string operator()(const Pad& op) const {
        return fmt::format(" before [{}] after [{}]{}", fmt::join(op.before, ", "), fmt::join(op.after, ", "),
                           op.pad_value ? fmt::format(" value {}", *op.pad_value) : "");
    }
    std::string operator()(const Mean& op) const {
        return fmt::format(" axes [{}]{}", fmt::join(op.axes, ", "), op.keep_dims ? " keep_dims" : "");
    }
    std::string operator()(const Concatenation& op) const {
        return fmt::format(" axis {}", op.axis) + activation_text(op.activation);
    }
    template <typename Plain>
    std::string operator()(const Plain&) const {
        return "";
    }
};

}  // namespace

std::string print(const Graph& graph) {
    std::string text = fmt::format("graph '{}' inputs [{}] outputs [{}]\n", printable(graph.name),
                                   fmt::join(graph.inputs, ", "), fmt::join(graph.outputs, ", "));
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor& tensor = graph.tensors[i];
        text += fmt::format("tensor {} {} [{}]", i, name_of(tensor.type), fmt::join(tensor.shape, ", "));
        text += tensor.quantization ? print_quantization(*tensor.quantization) : "";
        text += tensor.is_constant() ? print_data(tensor.data) : "";
        text += fmt::format(" '{}'\n", printable(tensor.name));
    }
    for (const Operator& op : graph.operators) {
        text += fmt::format("{} [{}] -> [{}]{}\n", position_of(op), fmt::join(op.inputs, ", "),
                            fmt::join(op.outputs, ", "), std::visit(PrintAttributes{}, op.attributes));
    }
    return text;
}

}  // namespace metamorph::graph

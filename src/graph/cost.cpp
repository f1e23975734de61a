// What an operator costs, from shapes alone; and the geometry of sliding windows.
#include <algorithm>

#include "graph/graph.h"
#include "util/checked.h"

namespace metamorph::graph {

namespace {

struct Macs {
    const Graph& graph;
    const Operator& op;

    const Tensor& filter() const { return graph.tensors[static_cast<std::size_t>(op.inputs[1])]; }
    const Tensor& output() const { return graph.tensors[static_cast<std::size_t>(op.outputs[0])]; }
    // Products that each output element sums up: the filter's extents from `first` up to `last`, exclusive.
    std::int64_t per_output(std::size_t first, std::size_t last) const {
        std::int64_t product = output().elements();
        for (std::size_t i = first; i < last; ++i) {
            product = saturating_multiply(product, filter().shape[i]);
        }
        return product;
    }
    std::int64_t operator()(const Conv2D&) const { return per_output(1, 4); }
    std::int64_t operator()(const DepthwiseConv2D&) const { return per_output(1, 3); }
    std::int64_t operator()(const FullyConnected&) const { return per_output(1, 2); }
    template <typename Other>
    std::int64_t operator()(const Other&) const {
        return 0;
    }
};

}  // namespace

std::int64_t macs(const Graph& graph, const Operator& op) {
    return std::visit(Macs{graph, op}, op.attributes);
}

std::int64_t constant_bytes(const Graph& graph, const Operator& op) {
    std::int64_t sum = 0;
    for (const TensorId id : op.inputs) {
        if (id >= 0) {
            sum += static_cast<std::int64_t>(graph.tensors[static_cast<std::size_t>(id)].data.size());
        }
    }
    return sum;
}

Window window(Padding padding, std::int64_t input, int filter, int stride, int dilation) {
    const std::int64_t reach = (std::int64_t{filter} - 1) * dilation + 1;  // how far a dilated filter extends
    if (padding == Padding::valid) {
        return {input < reach ? 0 : (input - reach) / stride + 1, 0};
    }
    const std::int64_t output = (input - 1) / stride + 1;
    const std::int64_t behind_last = input - (output - 1) * stride;  // inputs from the last window's start to the end
    return {output, std::max<std::int64_t>(0, reach - behind_last) / 2};
}

}  // namespace metamorph::graph

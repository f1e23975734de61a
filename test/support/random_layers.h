// Layer by layer construction of a random network. Every method appends operators that read what is there already; a
// method that cannot apply (wrong rank, too large) appends nothing and returns false.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "support/random_network.h"
#include "support/random_source.h"

namespace metamorph::test_support {

// What a tensor holds, as real numbers, by estimate.
struct Spread {
    double mean = 0, deviation = 1;
};

class RandomLayers {
public:
    RandomLayers(std::uint64_t seed, const RandomNetworkOptions& options) : random(seed), m_options(options) {}

    graph::TensorId add_input(const std::vector<std::int64_t>& shape, bool is_float);  // returns the int8 tensor

    bool add_conv_2d(graph::TensorId x);
    bool add_depthwise_conv_2d(graph::TensorId x);
    bool add_fully_connected(graph::TensorId x);
    bool add_pool_2d(graph::TensorId x);
    bool add_elementwise(graph::TensorId x);
    bool add_relu(graph::TensorId x);
    bool add_reshape(graph::TensorId x);
    bool add_pad(graph::TensorId x);
    bool add_mean(graph::TensorId x);
    bool add_concatenation(graph::TensorId x);
    bool add_requantize(graph::TensorId x);
    bool add_softmax(graph::TensorId x);
    void add_dequantize(graph::TensorId x);

    // The tensor that the last operator computed, and an earlier int8 one.
    graph::TensorId last() const { return graph.operators.back().outputs[0]; }
    const graph::Tensor& tensor(graph::TensorId id) const { return graph.tensors[static_cast<std::size_t>(id)]; }

    graph::Graph graph;
    RandomSource random;

private:
    graph::Quantization quantization_for(Spread spread, graph::Activation activation);
    graph::Activation random_activation();
    graph::TensorId add_tensor(const char* kind, std::vector<std::int64_t> shape, graph::Quantization quantization,
                               Spread spread);
    graph::TensorId add_constant(const char* kind, std::vector<std::int64_t> shape, graph::Quantization quantization);
    void add_operator(graph::Attributes attributes, std::vector<graph::TensorId> inputs, graph::TensorId output);
    Spread spread(graph::TensorId id) const { return m_spread[static_cast<std::size_t>(id)]; }
    static Spread activated(Spread spread, graph::Activation activation);
    bool is_image(graph::TensorId x) const { return tensor(x).shape.size() == 4; }
    bool fits(const std::vector<std::int64_t>& shape) const;

    // Filter, bias and output of a layer that sums `taps` products; output channels lie along `axis` of the filter.
    bool add_filtered(graph::Attributes attributes, graph::TensorId x, const std::vector<std::int64_t>& filter_shape,
                      int axis, std::int64_t taps, const std::vector<std::int64_t>& output_shape,
                      graph::Activation activation);
    graph::TensorId elementwise_operand(graph::TensorId x);
    graph::TensorId concatenation_operand(graph::TensorId x, std::size_t axis);

    RandomNetworkOptions m_options;
    std::vector<Spread> m_spread;  // by tensor
    std::int64_t m_macs = 0;
};

}  // namespace metamorph::test_support

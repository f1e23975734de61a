// One generated layer: a C function, its parameters and its constants, and what the writers of operator families share.
//
// A writer fills in ports, constants, notes and the function's body; project.cpp makes files of it. Rules for every
// body: loops have constant bounds or bounds clamped by the layer's min and max functions; indices are sums of loop
// variables times constants; every output element is stored by exactly one unconditional store; constants are read by
// name, other tensors through the parameters; nothing is called outside the arithmetic header.
//
// A layer whose outer loop writes other bytes of the output in each round says so (outer_loop): that loop goes from
// `first` to `end`, parameters of a function of their own, and can be cut into slices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generate/native/c_text.h"
#include "generate/native/fixed_point.h"
#include "graph/graph.h"
#include "util/result.h"

namespace metamorph::generate::native {

struct Constant {
    std::string name;    // complete: "kws_conv2d_00_relu_weights"
    std::string c_type;  // "int8_t", "int32_t"
    std::vector<std::int64_t> values;
    std::string note;  // what it is, for the comment
};

struct Port {
    graph::TensorId tensor = -1;
    std::string name;  // of the parameter
    bool is_output = false;
};

struct OuterLoop {
    std::int64_t rounds = 0;  // at least 2
    std::string unit;         // what a round makes: "rows", "channels"
};

struct Layer {
    int operator_index = -1;  // into Graph::operators; -1: a copy to a second output at the end
    std::string function;
    std::vector<Port> ports;  // inputs, then the output
    std::vector<Constant> constants;
    std::vector<std::string> notes;  // for the function's comment, one sentence each
    CText body;
    std::optional<OuterLoop> outer_loop;
    std::string why_no_slices;  // where there is no outer loop
};

// What a writer sees. `where` names operator and position in errors.
struct LayerContext {
    const graph::Graph& graph;
    const graph::Operator& op;
    const std::string& prefix;
    std::string where;

    const graph::Tensor& tensor(graph::TensorId id) const { return graph.tensors[static_cast<std::size_t>(id)]; }
    const graph::Tensor& input(std::size_t i) const { return tensor(op.inputs[i]); }
    const graph::Tensor& output() const { return tensor(op.outputs[0]); }
    bool has_input(std::size_t i) const { return i < op.inputs.size() && op.inputs[i] >= 0; }
};

// Writers, one a family. They assume a graph that passes graph::verify.
Status write_conv2d(Layer& layer, const LayerContext& c, const graph::Conv2D& a);
Status write_depthwise_conv2d(Layer& layer, const LayerContext& c, const graph::DepthwiseConv2D& a);
Status write_fully_connected(Layer& layer, const LayerContext& c, const graph::FullyConnected& a);
Status write_pool2d(Layer& layer, const LayerContext& c, const graph::Pool2D& a);
Status write_elementwise(Layer& layer, const LayerContext& c, const graph::Elementwise& a);
Status write_softmax(Layer& layer, const LayerContext& c, const graph::Softmax& a);
Status write_mean(Layer& layer, const LayerContext& c, const graph::Mean& a);
Status write_pad(Layer& layer, const LayerContext& c, const graph::Pad& a);
Status write_concatenation(Layer& layer, const LayerContext& c, const graph::Concatenation& a);
Status write_relu(Layer& layer, const LayerContext& c, const graph::Relu& a);
Status write_quantize(Layer& layer, const LayerContext& c);
Status write_dequantize(Layer& layer, const LayerContext& c);
void write_copy(Layer& layer, const LayerContext& c, graph::TensorId from, graph::TensorId to);

// The layer's function name: prefix, kind, ordinal, fused activation ("kws_conv2d_03_relu").
std::string function_name(const std::string& prefix, const graph::Graph& graph, int operator_index);

// Adds a port for an input, or the constant array that it is; returns the C name to read it by.
std::string add_input(Layer& layer, const LayerContext& c, graph::TensorId tensor, const std::string& name);
void add_output(Layer& layer, const LayerContext& c);
std::string add_constant(Layer& layer, const std::string& suffix, const std::string& c_type,
                         std::vector<std::int64_t> values, const std::string& note);

// Opens a loop over parts of the output. The first with more than one round becomes the layer's outer loop; `unit` says
// what a round makes. It may lie in another loop only if that one, too, goes over parts of the output.
std::string outer_loop(Layer& layer, const std::string& variable, std::int64_t extent, const std::string& unit);

// Contents of a constant int8 or int32 tensor.
std::vector<std::int64_t> constant_values(const graph::Tensor& tensor);

const char* c_type_of(graph::DataType type);

// Scale and zero point of a tensor quantised as a whole.
float scale_of(const graph::Tensor& tensor);
std::int64_t zero_point_of(const graph::Tensor& tensor);

Result<ActivationRange> range_of(const LayerContext& c, graph::Activation activation);

// How accumulators become int8, with one multiplier for all channels or one a channel.
struct Requantization {
    std::vector<Multiplier> multipliers;  // one, or one a channel
    std::int64_t zero_point = 0;
    ActivationRange range;
};
// Multipliers of a convolution: input scale * filter scale / output scale, a channel at a time, in double.
std::vector<Multiplier> channel_multipliers(const LayerContext& c, std::int64_t channels);
// Adds the constants it needs and returns the expression that requantises `accumulator` of channel `channel`.
std::string requantized(Layer& layer, const LayerContext& c, const Requantization& r, const std::string& accumulator,
                        const std::string& channel);

// Biases with the input's zero point folded in where `fold` says so: bias[c] - zero_point * sum(weights of c). Refuses
// what could overflow 32 bits, which is undefined in the reference. `weights_of(c)` lists the weights of channel c.
Result<std::vector<std::int64_t>> folded_biases(const LayerContext& c,
                                                const std::vector<std::vector<std::int64_t>>& weights, bool fold);

}  // namespace metamorph::generate::native

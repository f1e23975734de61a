// The tensor and operator IR. A Graph is what an importer makes of a model and what a generator reads: tensors
// (constant or computed) and operators in execution order. It is a plain value: copy it, compare it, print it.
//
// Layout of every tensor: row-major, NHWC for images, as TensorFlow Lite stores them. Batch is part of the shape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "util/result.h"

namespace metamorph::graph {

enum class DataType { int8, int16, int32, int64, float32 };

// Bytes of one element.
int element_bytes(DataType type);
const char* name_of(DataType type);

// real = scale[c] * (q - zero_point[c]); c runs over dimension `axis` when there is more than one scale.
struct Quantization {
    std::vector<float> scale;              // 1 (per tensor) or shape[axis] (per channel) entries, all finite and > 0
    std::vector<std::int64_t> zero_point;  // as many as scales
    int axis = 0;
    bool per_channel() const { return scale.size() > 1; }
    friend bool operator==(const Quantization&, const Quantization&) = default;
};

using TensorId = int;  // index into Graph::tensors

struct Tensor {
    std::string name;  // as the model spells it; need not be unique or a C identifier
    DataType type = DataType::int8;
    std::vector<std::int64_t> shape;  // every extent >= 1; empty for a scalar
    std::optional<Quantization> quantization;
    std::vector<std::byte> data;  // little-endian constant contents; empty for a computed tensor
    bool is_constant() const { return !data.empty(); }
    std::int64_t elements() const;  // of absurd shapes, too: saturates instead of overflowing
    std::int64_t bytes() const;
    friend bool operator==(const Tensor&, const Tensor&) = default;
};

enum class Padding { same, valid };
enum class Activation { none, relu, relu_n1_to_1, relu6 };

// Attributes, one struct an operator. Inputs and outputs are given in Operator, in the order noted here.
struct Conv2D {  // in: input [N,H,W,Ci], filter [Co,Kh,Kw,Ci], bias [Co] int32 (TensorId -1: none); out [N,Ho,Wo,Co]
    Padding padding = Padding::same;
    int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
    Activation activation = Activation::none;
    friend bool operator==(const Conv2D&, const Conv2D&) = default;
};
struct DepthwiseConv2D {  // in: input [N,H,W,Ci], filter [1,Kh,Kw,Ci*multiplier], bias; out [N,Ho,Wo,Ci*multiplier]
    Padding padding = Padding::same;
    int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
    int depth_multiplier = 1;
    Activation activation = Activation::none;
    friend bool operator==(const DepthwiseConv2D&, const DepthwiseConv2D&) = default;
};
struct FullyConnected {  // in: input (elements = batches * Ci), filter [Co,Ci], bias or -1; out [batches,Co]
    Activation activation = Activation::none;
    bool keep_num_dims = false;
    friend bool operator==(const FullyConnected&, const FullyConnected&) = default;
};
struct Pool2D {  // in: input [N,H,W,C]; out [N,Ho,Wo,C]
    enum class Kind { average, max } kind = Kind::average;
    Padding padding = Padding::valid;
    int stride_h = 1, stride_w = 1, filter_h = 1, filter_w = 1;
    Activation activation = Activation::none;
    friend bool operator==(const Pool2D&, const Pool2D&) = default;
};
struct Elementwise {  // in: a, b (broadcasting, numpy rules); out
    enum class Kind { add, mul } kind = Kind::add;
    Activation activation = Activation::none;
    friend bool operator==(const Elementwise&, const Elementwise&) = default;
};
struct Relu {  // in: x; out; may requantise
    Activation activation = Activation::relu;
    friend bool operator==(const Relu&, const Relu&) = default;
};
struct Reshape {  // in: x (the new shape is the output's); out: same bytes, same quantisation
    friend bool operator==(const Reshape&, const Reshape&) = default;
};
struct Softmax {  // in: x; out: int8 scale 1/256, zero point -128; over the last dimension
    float beta = 1.0F;
    friend bool operator==(const Softmax&, const Softmax&) = default;
};
struct Pad {  // in: x; out; pads with the output's zero point, or with pad_value (PadV2, quantised)
    std::vector<std::int64_t> before, after;  // one entry a dimension, >= 0
    std::optional<int> pad_value;
    friend bool operator==(const Pad&, const Pad&) = default;
};
struct Mean {               // in: x; out
    std::vector<int> axes;  // ascending, distinct, non-negative
    bool keep_dims = false;
    friend bool operator==(const Mean&, const Mean&) = default;
};
struct Concatenation {  // in: 1..n tensors; out
    int axis = 0;       // non-negative
    Activation activation = Activation::none;
    friend bool operator==(const Concatenation&, const Concatenation&) = default;
};
struct Quantize {  // in: float32 or int8; out: int8
    friend bool operator==(const Quantize&, const Quantize&) = default;
};
struct Dequantize {  // in: int8; out: float32
    friend bool operator==(const Dequantize&, const Dequantize&) = default;
};

using Attributes = std::variant<Conv2D, DepthwiseConv2D, FullyConnected, Pool2D, Elementwise, Relu, Reshape, Softmax,
                                Pad, Mean, Concatenation, Quantize, Dequantize>;

struct Operator {
    Attributes attributes;
    std::vector<TensorId> inputs;  // -1: an optional input that is absent
    std::vector<TensorId> outputs;
    int model_index = 0;  // position among the model's operators, for messages ("operator 3 (CONV_2D)")
    friend bool operator==(const Operator&, const Operator&) = default;
};

// "CONV_2D", "AVERAGE_POOL_2D", …: the name TensorFlow Lite gives the operator.
const char* name_of(const Operator& op);
const char* name_of(Activation activation);  // "NONE", "RELU6", …
const char* name_of(Padding padding);        // "SAME", "VALID"

// "operator 3 (CONV_2D)": how every message names an operator.
std::string position_of(const Operator& op);

struct Graph {
    std::string name;  // of the model file, without folder and extension
    std::vector<Tensor> tensors;
    std::vector<Operator> operators;  // in execution order: an operator's inputs are computed before it
    std::vector<TensorId> inputs, outputs;
    friend bool operator==(const Graph&, const Graph&) = default;
};

// Multiply-accumulates of one operator (0 for those that have none) and bytes of its constants.
std::int64_t macs(const Graph& graph, const Operator& op);
std::int64_t constant_bytes(const Graph& graph, const Operator& op);

// Output extent and leading padding of a sliding window, by TensorFlow's rules. `padding_before` = max(0, needed) / 2.
struct Window {
    std::int64_t output = 0;
    std::int64_t padding_before = 0;
};
Window window(Padding padding, std::int64_t input, int filter, int stride, int dilation);

// Checks everything that a generator may rely on: ids in range, order, shapes that agree with the operator, data types,
// quantisation that fits (positive scales, per-channel only on filters, filter zero point 0, bias scale = input ×
// filter, bias zero point 0, Softmax's and pooling's fixed quantisations, …), sizes below k_tensor_bytes_max, and that
// no 32-bit accumulator of the reference kernels can overflow. The error (code model) names the operator, its position
// and what is supported. Costs time proportional to the graph and its constants.
Status verify(const Graph& graph);
inline constexpr std::int64_t k_tensor_bytes_max = 256LL << 20;
inline constexpr std::size_t k_rank_max = 6;

// One line a tensor and operator, stable: for --dump-after and golden tests.
std::string print(const Graph& graph);

}  // namespace metamorph::graph

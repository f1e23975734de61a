// The rules of the single operators, used by verify once ids, order and every tensor by itself are known to be sound.
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace metamorph::graph {

// An operator under examination, with the questions that the rules ask. A rule that is broken makes an error that names
// the operator, its position, the tensor and what is supported.
class Subject {
public:
    Subject(const Graph& graph, const Operator& op) : m_graph(graph), m_op(op) {}

    const Operator& op() const { return m_op; }
    bool has_input(std::size_t i) const { return i < m_op.inputs.size() && m_op.inputs[i] >= 0; }
    const Tensor& input(std::size_t i) const { return m_graph.tensors[static_cast<std::size_t>(m_op.inputs[i])]; }
    const Tensor& output() const { return m_graph.tensors[static_cast<std::size_t>(m_op.outputs[0])]; }

    // "input 1 'conv/filter'", "output 'conv'", for messages.
    std::string input_name(std::size_t i) const;
    std::string output_name() const;

    template <typename... Args>
    [[nodiscard]] tl::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) const {
        return fail(ErrorCode::model, position_of(m_op), format, std::forward<Args>(args)...);
    }

    Status has_arity(std::size_t inputs_min, std::size_t inputs_max) const;  // and one output; the first input is there
    Status is_activation(const Tensor& tensor, const std::string& name) const;  // int8, per-tensor quantisation
    Status is_float(const Tensor& tensor, const std::string& name) const;
    Status has_rank(const Tensor& tensor, const std::string& name, std::size_t rank) const;
    Status has_output_shape(const std::vector<std::int64_t>& expected) const;
    Status keeps_quantization(std::size_t input_index) const;  // the output's is that of this input
    // The reference multiplies what is at most `bound` by `multiplier` in 32 bits: that must not overflow.
    Status requantizes(double bound, double multiplier) const;

private:
    const Graph& m_graph;
    const Operator& m_op;
};

std::string shape_text(const std::vector<std::int64_t>& shape);  // "[1, 49, 10, 1]"

// One overload an operator.
struct VerifyOperator {
    const Subject& subject;
    Status operator()(const Conv2D& op) const;
    Status operator()(const DepthwiseConv2D& op) const;
    Status operator()(const FullyConnected& op) const;
    Status operator()(const Pool2D& op) const;
    Status operator()(const Elementwise& op) const;
    Status operator()(const Relu& op) const;
    Status operator()(const Reshape& op) const;
    Status operator()(const Softmax& op) const;
    Status operator()(const Pad& op) const;
    Status operator()(const Mean& op) const;
    Status operator()(const Concatenation& op) const;
    Status operator()(const Quantize& op) const;
    Status operator()(const Dequantize& op) const;
};

}  // namespace metamorph::graph

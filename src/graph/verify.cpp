// verify in three steps, each of which may rely on the ones before: ids and order (who makes a tensor, and before
// whom); every tensor by itself; every operator by its rules (verify_operator.h).
#include <cmath>
#include <limits>

#include "graph/verify_operator.h"
#include "util/text.h"

namespace metamorph::graph {

namespace {

std::string tensor_text(const Graph& graph, TensorId id) {
    return fmt::format("tensor {} '{}'", id, printable(graph.tensors[static_cast<std::size_t>(id)].name));
}

// Follows the operators in order and notes what each tensor is known as.
class OrderCheck {
public:
    explicit OrderCheck(const Graph& graph) : m_graph(graph), m_available(graph.tensors.size()) {
        for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
            m_available[i] = graph.tensors[i].is_constant();
        }
    }

    Status run() {
        if (m_graph.inputs.empty() || m_graph.outputs.empty() || m_graph.operators.empty()) {
            return fail(ErrorCode::model, "model",
                        "it has {} inputs, {} operators and {} outputs; supported: 1 or more", m_graph.inputs.size(),
                        m_graph.operators.size(), m_graph.outputs.size());
        }
        for (const TensorId id : m_graph.inputs) {
            MM_CHECK(becomes_available(id, "model inputs", "an input"));
        }
        for (const Operator& op : m_graph.operators) {
            MM_CHECK(follow(op));
        }
        return check_outputs();
    }

private:
    bool in_range(TensorId id) const { return id >= 0 && static_cast<std::size_t>(id) < m_graph.tensors.size(); }

    Status becomes_available(TensorId id, const std::string& where, const char* as_what) {
        if (!in_range(id)) {
            return fail(ErrorCode::model, where, "there is no tensor {}; the model has {}", id, m_graph.tensors.size());
        }
        const auto i = static_cast<std::size_t>(id);
        if (m_available[i]) {
            return fail(ErrorCode::model, where, "{} is {}, but it is a constant, an input or an output already",
                        tensor_text(m_graph, id), as_what);
        }
        m_available[i] = true;
        return {};
    }

    Status follow(const Operator& op) {
        const std::string where = position_of(op);
        for (const TensorId id : op.inputs) {
            if (id != -1 && !in_range(id)) {
                return fail(ErrorCode::model, where, "there is no tensor {}; the model has {}", id,
                            m_graph.tensors.size());
            }
            if (id != -1 && !m_available[static_cast<std::size_t>(id)]) {
                return fail(ErrorCode::model, where,
                            "{} is read, but it is neither a constant nor an input nor computed by an operator before",
                            tensor_text(m_graph, id));
            }
        }
        for (const TensorId id : op.outputs) {
            MM_CHECK(becomes_available(id, where, "an output"));
        }
        return {};
    }

    Status check_outputs() const {
        std::vector<bool> computed(m_graph.tensors.size());
        for (const Operator& op : m_graph.operators) {
            for (const TensorId id : op.outputs) {
                computed[static_cast<std::size_t>(id)] = true;
            }
        }
        for (const TensorId id : m_graph.outputs) {
            if (!in_range(id)) {
                return fail(ErrorCode::model, "model outputs", "there is no tensor {}; the model has {}", id,
                            m_graph.tensors.size());
            }
            if (!computed[static_cast<std::size_t>(id)]) {
                return fail(ErrorCode::model, "model outputs",
                            "{} is not computed by an operator, or is an output twice; supported: distinct, computed",
                            tensor_text(m_graph, id));
            }
            computed[static_cast<std::size_t>(id)] = false;
        }
        return {};
    }

    const Graph& m_graph;
    std::vector<bool> m_available;
};

struct ZeroPoints {
    std::int64_t min = 0, max = 0;
};

ZeroPoints zero_points_of(DataType type) {
    switch (type) {
        case DataType::int8:
            return {std::numeric_limits<std::int8_t>::min(), std::numeric_limits<std::int8_t>::max()};
        case DataType::int16:
            return {std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()};
        default:
            return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    }
}

Status verify_quantization(const Tensor& tensor, const std::string& where, const std::string& name) {
    const Quantization& quantization = *tensor.quantization;
    const std::size_t scales = quantization.scale.size();
    if (scales == 0 || quantization.zero_point.size() != scales) {
        return fail(ErrorCode::model, where, "{} has {} scales and {} zero points; supported: as many, 1 or more", name,
                    scales, quantization.zero_point.size());
    }
    if (quantization.per_channel()) {
        const int axis = quantization.axis;
        if (axis < 0 || static_cast<std::size_t>(axis) >= tensor.shape.size() ||
            tensor.shape[static_cast<std::size_t>(axis)] != static_cast<std::int64_t>(scales)) {
            return fail(ErrorCode::model, where,
                        "{} has {} scales along dimension {} of shape {}; supported: one an index", name, scales, axis,
                        shape_text(tensor.shape));
        }
    }
    const ZeroPoints range = zero_points_of(tensor.type);
    for (std::size_t c = 0; c < scales; ++c) {
        if (!std::isfinite(quantization.scale[c]) || !(quantization.scale[c] > 0.0F)) {
            return fail(ErrorCode::model, where, "{} has the scale {}; supported: finite and above 0", name,
                        quantization.scale[c]);
        }
        if (quantization.zero_point[c] < range.min || quantization.zero_point[c] > range.max) {
            return fail(ErrorCode::model, where, "{} has the zero point {}; supported for {}: {} to {}", name,
                        quantization.zero_point[c], name_of(tensor.type), range.min, range.max);
        }
    }
    return {};
}

Status verify_tensor(const Tensor& tensor, const std::string& where, const std::string& name) {
    if (tensor.shape.size() > k_rank_max) {
        return fail(ErrorCode::model, where, "{} has {} dimensions; supported: {}", name, tensor.shape.size(),
                    k_rank_max);
    }
    for (const std::int64_t extent : tensor.shape) {
        if (extent < 1) {
            return fail(ErrorCode::model, where, "{} has shape {}; supported: extents of 1 and above, all known", name,
                        shape_text(tensor.shape));
        }
    }
    if (tensor.bytes() > k_tensor_bytes_max) {
        return fail(ErrorCode::model, where, "{} has shape {} of {}; supported: {} bytes", name,
                    shape_text(tensor.shape), name_of(tensor.type), k_tensor_bytes_max);
    }
    if (tensor.is_constant() && static_cast<std::int64_t>(tensor.data.size()) != tensor.bytes()) {
        return fail(ErrorCode::model, where, "{} has {} bytes of data, but shape {} of {} needs {}", name,
                    tensor.data.size(), shape_text(tensor.shape), name_of(tensor.type), tensor.bytes());
    }
    return tensor.quantization ? verify_quantization(tensor, where, name) : Status{};
}

// The first operator that reads or makes a tensor is what an error about the tensor names.
Status verify_tensors(const Graph& graph) {
    std::vector<bool> verified(graph.tensors.size());
    const auto verify_once = [&](TensorId id, const std::string& where) -> Status {
        if (id < 0 || verified[static_cast<std::size_t>(id)]) {
            return {};
        }
        verified[static_cast<std::size_t>(id)] = true;
        return verify_tensor(graph.tensors[static_cast<std::size_t>(id)], where, tensor_text(graph, id));
    };
    for (const Operator& op : graph.operators) {
        const std::string where = position_of(op);
        for (const auto& ids : {op.inputs, op.outputs}) {
            for (const TensorId id : ids) {
                MM_CHECK(verify_once(id, where));
            }
        }
    }
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        MM_CHECK(verify_once(static_cast<TensorId>(i), "model"));
    }
    return {};
}

}  // namespace

Status verify(const Graph& graph) {
    MM_CHECK(OrderCheck(graph).run());
    MM_CHECK(verify_tensors(graph));
    for (const Operator& op : graph.operators) {
        const Subject subject(graph, op);
        MM_CHECK(std::visit(VerifyOperator{subject}, op.attributes));
    }
    return {};
}

}  // namespace metamorph::graph

// TensorFlow Lite → Graph. The operators are converted in order; each asks for its tensors, so that a tensor is
// converted when it is first used and an error about it can name the operator. Tensors that only fed attributes (a
// shape, say) or nothing at all are dropped and the rest renumbered in the model's order. The result goes through
// graph::verify, which owns every rule that is not about the file format.
#include <optional>

#include "import/import.h"
#include "import/tflite/tflite_file.h"
#include "import/tflite/tflite_operators.h"

namespace metamorph::import {

namespace {

class TfliteImporter {
public:
    TfliteImporter(const TfliteFile& file, std::string name) : m_file(file), m_tensors(file.tensor_count()) {
        m_graph.name = std::move(name);
    }

    Result<graph::Graph> run() {
        for (const int id : elements_of(m_file.subgraph().inputs())) {
            MM_CHECK(use(id, "model inputs"));
            m_graph.inputs.push_back(id);
        }
        const auto* operators = m_file.subgraph().operators();
        for (flatbuffers::uoffset_t i = 0; operators != nullptr && i < operators->size(); ++i) {
            MM_CHECK(add_operator(*operators->Get(i), static_cast<int>(i)));
        }
        for (const int id : elements_of(m_file.subgraph().outputs())) {
            MM_CHECK(use(id, "model outputs"));
            m_graph.outputs.push_back(id);
        }
        renumber();
        MM_CHECK(graph::verify(m_graph));
        return std::move(m_graph);
    }

private:
    Status add_operator(const schema::Operator& table, int index) {
        MM_TRY(const schema::OperatorCode* code, m_file.code(table, fmt::format("operator {}", index)));
        const std::string name = operator_name(*code);
        const std::string where = fmt::format("operator {} ({})", index, name);
        const auto inputs = elements_of(table.inputs());
        const auto outputs = elements_of(table.outputs());
        MM_CHECK(m_budget.spend(sizeof(graph::Operator) + (inputs.size() + outputs.size()) * sizeof(int), where));
        for (const auto ids : {inputs, outputs}) {
            for (const int id : ids) {
                if (!m_file.has_tensor(id) && (id != -1 || ids.data() == outputs.data())) {
                    return no_tensor(id, where);
                }
            }
        }
        const TfliteOperator op{m_file, table, where, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}};
        MM_TRY(ConvertedOperator converted, convert_operator(builtin_code(*code), name, op));
        for (const auto& ids : {converted.inputs, op.outputs}) {
            for (const int id : ids) {
                if (id != -1) {
                    MM_CHECK(use(id, where));
                }
            }
        }
        m_graph.operators.push_back({std::move(converted.attributes), std::move(converted.inputs), op.outputs, index});
        return {};
    }

    tl::unexpected<Error> no_tensor(int id, const std::string& where) const {
        return fail(ErrorCode::model, where, "there is no tensor {}; the model has {}", id, m_file.tensor_count());
    }

    // Converts a tensor that is part of the graph, once.
    Status use(int id, const std::string& where) {
        if (!m_file.has_tensor(id)) {
            return no_tensor(id, where);
        }
        std::optional<graph::Tensor>& slot = m_tensors[static_cast<std::size_t>(id)];
        if (!slot) {
            MM_TRY(slot, convert_tensor(id, where));
        }
        return {};
    }

    Result<graph::Tensor> convert_tensor(int id, const std::string& where) {
        const schema::Tensor& table = m_file.tensor(id);
        if (table.is_variable() || table.sparsity() != nullptr) {
            return fail(ErrorCode::model, where, "{} is {}; supported: dense tensors without state",
                        m_file.tensor_text(id), table.is_variable() ? "a variable" : "sparse");
        }
        graph::Tensor tensor;
        MM_TRY(tensor.type, type_of(id, where));
        const auto shape = elements_of(table.shape());
        const std::size_t name_bytes = table.name() == nullptr ? 0 : table.name()->size();
        MM_CHECK(m_budget.spend(sizeof tensor + name_bytes + shape.size() * sizeof(std::int64_t), where));
        tensor.shape.assign(shape.begin(), shape.end());
        if (name_bytes > 0) {
            tensor.name = table.name()->str();
        }
        MM_TRY(tensor.quantization, quantization_of(id, where));
        MM_TRY(const std::span<const std::byte> data, m_file.data(id, where));
        MM_CHECK(m_budget.spend(data.size(), where));
        tensor.data.assign(data.begin(), data.end());
        return tensor;
    }

    Result<graph::DataType> type_of(int id, const std::string& where) const {
        const schema::TensorType type = m_file.tensor(id).type();
        switch (type) {
            case schema::TensorType::INT8:
                return graph::DataType::int8;
            case schema::TensorType::INT16:
                return graph::DataType::int16;
            case schema::TensorType::INT32:
                return graph::DataType::int32;
            case schema::TensorType::INT64:
                return graph::DataType::int64;
            case schema::TensorType::FLOAT32:
                return graph::DataType::float32;
            default:
                break;
        }
        const std::string name = schema::EnumNameTensorType(type);
        return fail(ErrorCode::model, where,
                    "{} is {}; supported: INT8 (biases INT32, FLOAT32 before QUANTIZE and after DEQUANTIZE)",
                    m_file.tensor_text(id),
                    name.empty() ? fmt::format("of unknown type {}", static_cast<int>(type)) : name);
    }

    Result<std::optional<graph::Quantization>> quantization_of(int id, const std::string& where) {
        const schema::QuantizationParameters* table = m_file.tensor(id).quantization();
        if (table == nullptr) {
            return std::nullopt;
        }
        if (table->details_type() != schema::QuantizationDetails::NONE) {
            return fail(ErrorCode::model, where, "{} is quantised in a custom way; supported: scales and zero points",
                        m_file.tensor_text(id));
        }
        const auto scale = elements_of(table->scale());
        const auto zero_point = elements_of(table->zero_point());
        if (scale.empty() && zero_point.empty()) {
            return std::nullopt;  // converters leave such a table, with a range only, on float tensors
        }
        MM_CHECK(m_budget.spend(scale.size_bytes() + zero_point.size_bytes(), where));
        graph::Quantization result;
        result.scale.assign(scale.begin(), scale.end());
        result.zero_point.assign(zero_point.begin(), zero_point.end());
        // A vector has one dimension, whatever the file says: converters write its filter's axis into a bias.
        const bool is_vector = elements_of(m_file.tensor(id).shape()).size() == 1;
        result.axis = result.per_channel() && !is_vector ? table->quantized_dimension() : 0;
        return result;
    }

    void renumber() {
        std::vector<graph::TensorId> ids(m_tensors.size(), -1);
        for (std::size_t i = 0; i < m_tensors.size(); ++i) {
            if (m_tensors[i]) {
                ids[i] = static_cast<graph::TensorId>(m_graph.tensors.size());
                m_graph.tensors.push_back(std::move(*m_tensors[i]));
            }
        }
        const auto rename = [&](std::vector<graph::TensorId>& list) {
            for (graph::TensorId& id : list) {
                id = id == -1 ? -1 : ids[static_cast<std::size_t>(id)];
            }
        };
        rename(m_graph.inputs);
        rename(m_graph.outputs);
        for (graph::Operator& op : m_graph.operators) {
            rename(op.inputs);
            rename(op.outputs);
        }
    }

    const TfliteFile& m_file;
    Budget m_budget;
    std::vector<std::optional<graph::Tensor>> m_tensors;  // by the model's ids
    graph::Graph m_graph;                                 // holds the model's ids until renumbered
};

}  // namespace

Result<graph::Graph> import_tflite(std::span<const std::byte> bytes, std::string name) {
    MM_TRY(const TfliteFile file, TfliteFile::open(bytes));
    return TfliteImporter(file, std::move(name)).run();
}

}  // namespace metamorph::import

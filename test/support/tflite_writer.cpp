// ModelDescription → bytes. A file with its buffers behind the flatbuffer needs the flatbuffer's size to say where they
// are; since the offsets always take eight bytes, the first of two rounds finds the size.
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "support/tflite_writer.h"

namespace metamorph::test_support {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

class Writer {
public:
    Writer(const ModelDescription& model, std::size_t behind_offset)
        : m_model(model), m_behind_offset(static_cast<std::uint64_t>(behind_offset)) {}

    std::vector<std::byte> write() {
        std::vector<Offset<schema::Tensor>> tensors;
        m_buffers.push_back(schema::CreateBuffer(m_builder));
        for (const TensorDescription& tensor : m_model.tensors) {
            tensors.push_back(write_tensor(tensor));
        }
        std::vector<Offset<schema::Operator>> operators;
        for (const OperatorDescription& op : m_model.operators) {
            operators.push_back(write_operator(op));
        }
        std::vector<Offset<schema::SubGraph>> subgraphs;
        for (int i = 0; i < m_model.subgraphs; ++i) {
            subgraphs.push_back(schema::CreateSubGraphDirect(m_builder, &tensors, &m_model.inputs, &m_model.outputs,
                                                             &operators, "main"));
        }
        schema::FinishModelBuffer(m_builder, schema::CreateModelDirect(m_builder, m_model.version, &m_codes, &subgraphs,
                                                                       "written by a test", &m_buffers));
        const auto bytes = std::as_bytes(std::span(m_builder.GetBufferPointer(), m_builder.GetSize()));
        std::vector<std::byte> file(bytes.begin(), bytes.end());
        m_flatbuffer_bytes = file.size();
        file.insert(file.end(), m_behind.begin(), m_behind.end());
        return file;
    }

    std::size_t flatbuffer_bytes() const { return m_flatbuffer_bytes; }

private:
    std::uint32_t write_buffer(const std::vector<std::byte>& data) {
        if (data.empty()) {
            return 0;
        }
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
        if (m_model.has_buffers_behind) {
            const std::uint64_t offset = m_behind_offset + m_behind.size();
            m_buffers.push_back(schema::CreateBuffer(
                m_builder, 0, offset + static_cast<std::uint64_t>(m_model.behind_offset_added), data.size()));
            m_behind.insert(m_behind.end(), data.begin(), data.end());
        } else {
            m_builder.ForceVectorAlignment(data.size(), 1, 16);
            m_buffers.push_back(schema::CreateBuffer(m_builder, m_builder.CreateVector(bytes, data.size())));
        }
        return static_cast<std::uint32_t>(m_buffers.size() - 1);
    }

    Offset<schema::Tensor> write_tensor(const TensorDescription& tensor) {
        const std::uint32_t own_buffer = write_buffer(tensor.data);
        Offset<schema::QuantizationParameters> quantization = 0;
        if (!tensor.scale.empty() || !tensor.zero_point.empty() || tensor.is_quantized_custom) {
            const auto scale = m_builder.CreateVector(tensor.scale);
            const auto zero_point = m_builder.CreateVector(tensor.zero_point);
            Offset<void> details = 0;
            if (tensor.is_quantized_custom) {
                details = schema::CreateQuantizationDetailsPresent(m_builder).Union();
            }
            quantization = schema::CreateQuantizationParameters(
                m_builder, scale, zero_point,
                tensor.is_quantized_custom ? schema::QuantizationDetails::QuantizationDetailsPresent
                                           : schema::QuantizationDetails::NONE,
                details, tensor.axis);
        }
        Offset<schema::SparsityParameters> sparsity = 0;
        if (tensor.is_sparse) {
            sparsity = schema::CreateSparsityParameters(m_builder);
        }
        Offset<flatbuffers::Vector<std::int32_t>> signature = 0;
        if (!tensor.shape_signature.empty()) {
            signature = m_builder.CreateVector(tensor.shape_signature);
        }
        const auto shape = m_builder.CreateVector(tensor.shape);
        const auto name = m_builder.CreateString(tensor.name);
        return schema::CreateTensor(m_builder, shape, tensor.type, tensor.buffer.value_or(own_buffer), name,
                                    quantization, tensor.is_variable, sparsity, signature, true,
                                    tensor.external_buffer);
    }

    std::uint32_t write_code(const OperatorDescription& op) {
        const auto key = std::pair(op.code, op.custom_code);
        if (const auto known = m_code_index.find(key); known != m_code_index.end()) {
            return known->second;
        }
        const auto custom = op.custom_code.empty() ? 0 : m_builder.CreateString(op.custom_code);
        m_codes.push_back(
            schema::CreateOperatorCode(m_builder, static_cast<std::int8_t>(std::min(op.code, 127)), custom, 1,
                                       static_cast<schema::BuiltinOperator>(m_model.has_old_codes ? 0 : op.code)));
        const auto index = static_cast<std::uint32_t>(m_codes.size() - 1);
        m_code_index.emplace(key, index);
        return index;
    }

    Offset<schema::Operator> write_operator(const OperatorDescription& op) {
        const std::uint32_t code = write_code(op);
        const auto inputs = m_builder.CreateVector(op.inputs);
        const auto outputs = m_builder.CreateVector(op.outputs);
        const Offset<void> options = op.options ? op.options(m_builder) : Offset<void>(0);
        return schema::CreateOperator(m_builder, op.opcode_index.value_or(code), inputs, outputs, op.options_type,
                                      options);
    }

    const ModelDescription& m_model;
    std::uint64_t m_behind_offset;
    FlatBufferBuilder m_builder;
    std::vector<Offset<schema::Buffer>> m_buffers;
    std::vector<Offset<schema::OperatorCode>> m_codes;
    std::map<std::pair<std::int32_t, std::string>, std::uint32_t> m_code_index;
    std::vector<std::byte> m_behind;
    std::size_t m_flatbuffer_bytes = 0;
};

}  // namespace

std::vector<std::byte> write_tflite(const ModelDescription& model) {
    Writer first(model, 1U << 20U);  // any offset above 1 takes as much room as the right one
    std::vector<std::byte> file = first.write();
    return model.has_buffers_behind ? Writer(model, first.flatbuffer_bytes()).write() : file;
}

std::vector<std::byte> write_tflite(const graph::Graph& graph) {
    return write_tflite(describe(graph));
}

}  // namespace metamorph::test_support

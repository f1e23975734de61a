// A TensorFlow Lite file whose structure is known to be sound: every table and vector that is reached through it lies
// inside the file. What the tables *say* is not checked here.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tflite_generated.h"
#include "util/result.h"

namespace metamorph::import {

namespace schema = tflite_schema;

// Bytes that may still be copied out of the file. Vectors and strings of a flatbuffer can be shared by any number of
// tables, so that a small file may describe gigabytes; everything that is copied is paid for here.
class Budget {
public:
    Status spend(std::size_t bytes, const std::string& where);

private:
    static constexpr std::size_t k_bytes_max = std::size_t{256} << 20U;
    std::size_t m_left = k_bytes_max;
};

class TfliteFile {
public:
    // `bytes` must outlive the result. Errors (model): not TensorFlow Lite, damaged, a version other than 3, or
    // anything else than one subgraph.
    static Result<TfliteFile> open(std::span<const std::byte> bytes);

    const schema::SubGraph& subgraph() const { return *m_model->subgraphs()->Get(0); }
    std::size_t tensor_count() const { return subgraph().tensors() ? subgraph().tensors()->size() : 0; }
    bool has_tensor(int id) const { return id >= 0 && static_cast<std::size_t>(id) < tensor_count(); }
    const schema::Tensor& tensor(int id) const;  // has_tensor(id)
    std::string tensor_text(int id) const;       // "tensor 3 'conv/bias'"

    // The contents of a tensor's buffer, empty for a computed tensor.
    Result<std::span<const std::byte>> data(int tensor_id, const std::string& where) const;

    // The operator code of an operator, or an error if it has none.
    Result<const schema::OperatorCode*> code(const schema::Operator& op, const std::string& where) const;

private:
    std::span<const std::byte> m_bytes;
    std::vector<std::byte> m_aligned_copy;  // only where the caller's bytes are not aligned
    const schema::Model* m_model = nullptr;
};

// "CONV_2D", "CUSTOM 'name'", "unknown code 300".
std::string operator_name(const schema::OperatorCode& code);
schema::BuiltinOperator builtin_code(const schema::OperatorCode& code);

// The elements of a flatbuffer vector that may be absent.
template <typename T>
std::span<const T> elements_of(const flatbuffers::Vector<T>* vector) {
    return vector == nullptr ? std::span<const T>() : std::span<const T>(vector->data(), vector->size());
}

}  // namespace metamorph::import

// Opening: flatbuffers' verifier walks every table of our schema once, with a limit on their number (tables can be
// shared, so that walking could otherwise cost far more than the file is long). It checks alignment relative to the
// start, so the start itself must be aligned: bytes of a caller that are not are copied.
#include "import/tflite/tflite_file.h"

#include <algorithm>
#include <cstdint>

#include "util/text.h"

namespace metamorph::import {

namespace {

constexpr std::size_t k_alignment = 16;
constexpr flatbuffers::uoffset_t k_tables_max = 500'000;
constexpr flatbuffers::uoffset_t k_depth_max = 16;
constexpr std::size_t k_tensors_max = 65'536;
constexpr std::uint32_t k_version = 3;

Status verify_flatbuffer(std::span<const std::byte> bytes) {
    constexpr std::size_t k_header_bytes = 8;  // root offset and file identifier
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    if (bytes.size() < k_header_bytes || !schema::ModelBufferHasIdentifier(data)) {
        return fail_with_hint(ErrorCode::model, "model file", "it is not a TensorFlow Lite file (no identifier TFL3)",
                              "supported: .tflite files, schema version 3");
    }
    // In files above 2 GiB only the buffers lie behind the flatbuffer.
    const std::size_t size = std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
    flatbuffers::Verifier verifier(data, size, k_depth_max, k_tables_max);
    if (!schema::VerifyModelBuffer(verifier)) {
        return fail_with_hint(ErrorCode::model, "model file",
                              "the file is damaged: a table or vector of it is cut off or points outside of it",
                              "convert or download the model again");
    }
    return {};
}

}  // namespace

Status Budget::spend(std::size_t bytes, const std::string& where) {
    if (bytes > m_left) {
        return fail(ErrorCode::model, where, "the model's tables describe more than the limit of {} bytes",
                    k_bytes_max);
    }
    m_left -= bytes;
    return {};
}

Result<TfliteFile> TfliteFile::open(std::span<const std::byte> bytes) {
    TfliteFile file;
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % k_alignment != 0) {
        file.m_aligned_copy.assign(bytes.begin(), bytes.end());
        bytes = file.m_aligned_copy;  // stays valid: moving a vector does not move its elements
    }
    MM_CHECK(verify_flatbuffer(bytes));
    file.m_bytes = bytes;
    file.m_model = schema::GetModel(bytes.data());
    if (file.m_model->version() != k_version) {
        return fail(ErrorCode::model, "model file", "its schema version is {}; supported: {}", file.m_model->version(),
                    k_version);
    }
    const std::size_t subgraphs = file.m_model->subgraphs() ? file.m_model->subgraphs()->size() : 0;
    if (subgraphs != 1) {
        return fail(ErrorCode::model, "model file", "it has {} subgraphs; supported: 1 (no control flow)", subgraphs);
    }
    if (file.tensor_count() > k_tensors_max) {
        return fail(ErrorCode::model, "model file", "it has {} tensors; supported: {}", file.tensor_count(),
                    k_tensors_max);
    }
    return file;
}

const schema::Tensor& TfliteFile::tensor(int id) const {
    return *subgraph().tensors()->Get(static_cast<flatbuffers::uoffset_t>(id));
}

std::string TfliteFile::tensor_text(int id) const {
    const flatbuffers::String* name = tensor(id).name();
    return fmt::format("tensor {} '{}'", id, name ? printable(name->string_view()) : "");
}

Result<std::span<const std::byte>> TfliteFile::data(int tensor_id, const std::string& where) const {
    const schema::Tensor& table = tensor(tensor_id);
    const std::size_t buffers = m_model->buffers() ? m_model->buffers()->size() : 0;
    if (table.external_buffer() != 0) {
        return fail(ErrorCode::model, where, "{} has its data in another file; supported: inside the model",
                    tensor_text(tensor_id));
    }
    if (table.buffer() >= buffers) {
        if (table.buffer() == 0) {
            return std::span<const std::byte>();
        }
        return fail(ErrorCode::model, where, "{} refers to buffer {}; the model has {}", tensor_text(tensor_id),
                    table.buffer(), buffers);
    }
    const schema::Buffer& buffer = *m_model->buffers()->Get(table.buffer());
    if (buffer.offset() > 1) {
        if (buffer.offset() > m_bytes.size() || buffer.size() > m_bytes.size() - buffer.offset()) {
            return fail(ErrorCode::model, where, "{} has {} bytes of data at {}, beyond the end of the file",
                        tensor_text(tensor_id), buffer.size(), buffer.offset());
        }
        return m_bytes.subspan(buffer.offset(), buffer.size());
    }
    return std::as_bytes(elements_of(buffer.data()));
}

Result<const schema::OperatorCode*> TfliteFile::code(const schema::Operator& op, const std::string& where) const {
    const std::size_t codes = m_model->operator_codes() ? m_model->operator_codes()->size() : 0;
    if (op.opcode_index() >= codes) {
        return fail(ErrorCode::model, where, "it refers to operator code {}; the model has {}", op.opcode_index(),
                    codes);
    }
    return m_model->operator_codes()->Get(op.opcode_index());
}

schema::BuiltinOperator builtin_code(const schema::OperatorCode& code) {
    return static_cast<schema::BuiltinOperator>(
        std::max<std::int32_t>(code.deprecated_builtin_code(), static_cast<std::int32_t>(code.builtin_code())));
}

std::string operator_name(const schema::OperatorCode& code) {
    const schema::BuiltinOperator builtin = builtin_code(code);
    if (builtin == schema::BuiltinOperator::CUSTOM) {
        return fmt::format("CUSTOM '{}'", code.custom_code() ? printable(code.custom_code()->string_view()) : "");
    }
    const std::string name = schema::EnumNameBuiltinOperator(builtin);
    return name.empty() ? fmt::format("unknown code {}", static_cast<std::int32_t>(builtin)) : name;
}

}  // namespace metamorph::import

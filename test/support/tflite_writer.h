// A TensorFlow Lite model as plain data, down to what only a broken or an unusual file would say, and the writer that
// makes a file of it. Tests start from describe(graph) and change what they are about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tflite_generated.h"

namespace metamorph::test_support {

namespace schema = tflite_schema;

struct TensorDescription {
    std::string name;
    schema::TensorType type = schema::TensorType::INT8;
    std::vector<std::int32_t> shape, shape_signature;
    std::vector<float> scale;
    std::vector<std::int64_t> zero_point;
    std::int32_t axis = 0;
    std::vector<std::byte> data;          // gets a buffer of its own; buffer 0 where empty
    std::optional<std::uint32_t> buffer;  // instead of the buffer it would get
    bool is_variable = false, is_sparse = false, is_quantized_custom = false;
    std::uint32_t external_buffer = 0;
};

struct OperatorDescription {
    std::int32_t code = 0;    // of schema::BuiltinOperator; any number
    std::string custom_code;  // written where not empty
    std::vector<std::int32_t> inputs, outputs;
    schema::BuiltinOptions options_type = schema::BuiltinOptions::NONE;
    std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)> options;
    std::optional<std::uint32_t> opcode_index;  // instead of the one it would get
};

struct ModelDescription {
    std::uint32_t version = 3;
    int subgraphs = 1;  // all alike
    std::vector<TensorDescription> tensors;
    std::vector<OperatorDescription> operators;
    std::vector<std::int32_t> inputs, outputs;
    bool has_old_codes = false;            // only the 8-bit operator code, as files older than 2020
    bool has_buffers_behind = false;       // constants behind the flatbuffer, as files above 2 GiB
    std::int64_t behind_offset_added = 0;  // to the offsets of such constants
};

// The description of a graph: its tensors in order, then those that hold folded attributes (shapes, axes, paddings).
ModelDescription describe(const graph::Graph& graph);

std::vector<std::byte> write_tflite(const ModelDescription& model);

// import_tflite(write_tflite(graph), graph.name) == graph, for every graph that passes graph::verify, refers to all its
// tensors and numbers its operators from 0.
std::vector<std::byte> write_tflite(const graph::Graph& graph);

}  // namespace metamorph::test_support

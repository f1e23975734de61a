// A model file → Graph. Chooses the importer by content (TensorFlow Lite flatbuffer identifier), not by file extension.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "graph/graph.h"
#include "util/result.h"

namespace metamorph::import {

struct ImportOptions {
    std::int64_t file_bytes_max = 512LL << 20;
};

// Reads and imports a file. Errors: system (cannot be read), model (damaged, unsupported; names operator and position).
// The Graph returned passes graph::verify.
Result<graph::Graph> import_file(const std::filesystem::path& path, const ImportOptions& options = {});

// The TensorFlow Lite importer itself. `name` becomes Graph::name. Never reads outside `bytes`; memory stays
// proportional to the file.
Result<graph::Graph> import_tflite(std::span<const std::byte> bytes, std::string name);

}  // namespace metamorph::import

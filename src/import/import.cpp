// Chooses the importer by the file's content.
#include "import/import.h"

#include "util/file.h"

namespace metamorph::import {

Result<graph::Graph> import_file(const std::filesystem::path& path, const ImportOptions& options) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, options.file_bytes_max));
    // TensorFlow Lite is the only format; its importer says so about a file that is something else.
    auto graph = import_tflite(bytes, path.stem().string());
    if (!graph) {
        return tl::unexpected<Error>(
            in_context(graph.error(), fmt::format("while importing {}", path.filename().string())));
    }
    return graph;
}

}  // namespace metamorph::import

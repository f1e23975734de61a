// The runtime's sources, embedded at build time (cmake/EmbedFiles.cmake): runtime/include, runtime/src,
// runtime/ports and LICENSE.
#pragma once

#include <string_view>
#include <vector>

namespace metamorph::weave {

struct EmbeddedFile {
    std::string_view path;  // relative to the project's root: "runtime/src/mm_runtime.c"
    std::string_view contents;
};

const std::vector<EmbeddedFile>& embedded_runtime();

}  // namespace metamorph::weave

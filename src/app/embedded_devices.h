// Device descriptions, cores' tables of costs and linker script templates, embedded at build time
// (cmake/EmbedFiles.cmake): devices/*.toml, devices/cores/*.toml and devices/*.in.
#pragma once

#include <string_view>
#include <vector>

namespace metamorph::app {

struct EmbeddedFile {
    std::string_view path;  // relative to the project's root: "devices/host.toml"
    std::string_view contents;
};

const std::vector<EmbeddedFile>& embedded_devices();

}  // namespace metamorph::app

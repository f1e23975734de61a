// Whether what a device description says fits together. Internal to app/. Errors: options, at the key that is wrong.
#pragma once

#include "app/device.h"
#include "app/toml_reader.h"

namespace metamorph::app {

Status check_device_name(const TomlReader& root, const std::string& name);

// Against itself, and against the memories that `device` has already.
Status check_memory(const TomlReader& table, const Memory& memory, const Device& device);
Status check_memory_kinds(const TomlReader& root, const Device& device);
Status check_spi(const TomlReader& spi, const Spi& chip, const Device& device);
Status check_board(const TomlReader& board, const Device& device);
Status check_compiler(const TomlReader& table, const Compiler& compiler);

}  // namespace metamorph::app

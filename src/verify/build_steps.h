// The steps that every build of a woven project is made of.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::verify {

// Errors: toolchain, with the command that installs `package`.
Status need_program(const std::string& program, const std::string& package);

Status make_folder(const std::filesystem::path& folder);

// Runs a command with its output in `log`. Errors: toolchain (it fails: its first lines that tell an error, and the
// log's path), system.
Status run_logged(const std::vector<std::string>& argv, const std::filesystem::path& log, const std::string& what);

}  // namespace metamorph::verify

// The options that Clang is run with, and the include folders that it needs.
#pragma once

#include <string>
#include <vector>

#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::cfront {

// argv of the compiler driver. Error: toolchain, if Clang's own headers (stdint.h, stddef.h …) are not installed.
Result<std::vector<std::string>> clang_command_line(const FrontEndInput& input, const std::string& source);

}  // namespace metamorph::cfront

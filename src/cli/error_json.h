// An Error as the JSON document that --json prints in its place (docs/command-line.md).
#pragma once

#include <string>

#include "util/result.h"

namespace metamorph::cli {

const char* name_of(ErrorCode code);  // "options"
std::string to_json(const Error& error);

}  // namespace metamorph::cli

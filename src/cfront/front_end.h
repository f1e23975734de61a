// C sources → CodeModel, with Clang 19's C++ libraries. The door for every generator; knows none of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "util/result.h"

namespace metamorph::cfront {

enum class OuterLoops { ignored, found };  // whether each step's outer loop is looked at

struct FrontEndInput {
    std::filesystem::path root;             // folder that `sources` and `include_dirs` are relative to
    std::vector<std::string> sources;       // relative paths of the C files to analyse
    std::vector<std::string> include_dirs;  // relative
    std::vector<std::string> defines;       // "NAME" or "NAME=VALUE"
    std::string entry;                      // name of the inference entry
    OuterLoops outer_loops = OuterLoops::ignored;
    std::string target = "x86_64-pc-linux-gnu";  // triple: sizes of types and layout of structs
};

// Parses, analyses and returns. Errors: model (C that does not parse: first error with file, line, column; an entry
// that does not exist, with the nearest names; an entry whose body is not understood, with file and line).
Result<CodeModel> analyse(const FrontEndInput& input);

}  // namespace metamorph::cfront

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

// What the code is read for. A program may see by it which way it goes, and where the members of a structure lie.
struct Target {
    std::string triple = "x86_64-pc-linux-gnu";
    std::vector<std::string> options;       // Clang's, that change types or what is predefined: "-mcpu=cortex-m4"
    std::vector<std::string> library_dirs;  // headers of the C library; empty: where Debian's packages put it
};

struct FrontEndInput {
    std::filesystem::path root;             // folder that `sources` and `include_dirs` are relative to
    std::vector<std::string> sources;       // relative paths of the C files to analyse
    std::vector<std::string> include_dirs;  // relative
    std::vector<std::string> defines;       // "NAME" or "NAME=VALUE"
    std::string entry;                      // name of the inference entry
    OuterLoops outer_loops = OuterLoops::ignored;
    Target target;
};

// Parses, analyses and returns. Errors: model (C that does not parse: first error with file, line, column; an entry
// that does not exist, with the nearest names; an entry whose body is not understood, with file and line).
Result<CodeModel> analyse(const FrontEndInput& input);

}  // namespace metamorph::cfront

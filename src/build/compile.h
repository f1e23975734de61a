// C sources → a program: every source on its own, several at once, then one link. What is compiled does not depend on
// how many run at once: neither the objects' names and order, nor the log, nor the error that is told.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/toolchain.h"

namespace metamorph::build {

struct CompileRequest {
    std::filesystem::path root;                  // sources are relative to it, and compilers run in it
    std::vector<std::filesystem::path> sources;  // at least one
    std::vector<std::string> compile_flags, link_flags;
    std::filesystem::path output;  // the program; its folder is made
    std::filesystem::path work;    // for objects and the log; made if there is none
    int jobs = 1;
    std::chrono::milliseconds timeout{600'000};  // of each compilation
};

struct CompileOutcome {
    std::filesystem::path log;  // commands and diagnostics, in the order of sources; the link last
    bool has_warnings = false;
};

// Errors: toolchain (a source does not compile, or the link fails: the first lines that tell an error, and the log's
// path; a compiler that takes too long), system (folders).
Result<CompileOutcome> compile_and_link(CommandRunner& runner, const Toolchain& toolchain,
                                        const CompileRequest& request);

// Of what a compiler printed, the first lines that tell an error, at most `lines_max`; its last lines where none does.
std::string first_errors(const std::string& diagnostics, std::size_t lines_max = 8);

}  // namespace metamorph::build

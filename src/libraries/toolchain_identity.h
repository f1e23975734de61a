// What a compiler is, by content: the programs that it runs, the libraries that these load, its specs, the C library
// that it takes, what it defines for a target's flags.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "build/command_runner.h"
#include "libraries/target.h"
#include "util/result.h"

namespace metamorph::libraries {

struct ToolchainIdentity {
    std::filesystem::path compiler, archiver;
    std::vector<std::pair<std::string, std::string>> fields;  // "toolchain.cc1" → SHA-256, …
    std::vector<std::filesystem::path> header_folders;        // that it searches by itself, canonical
};

// Asks the compiler, and hashes what it names. Errors: toolchain (not installed, with the command that installs it; it
// does not answer), system.
Result<ToolchainIdentity> identify(build::CommandRunner& runner, const Target& target, bool needs_cxx);

// A process with nothing of our environment but where programs and temporary files are: what a variable like CPATH may
// change is not to be changed unseen. `cleaned_variables` are those that are always the same, and count for the key.
ProcessRequest clean_process(std::vector<std::string> argv);
const std::vector<std::pair<std::string, std::string>>& cleaned_variables();

}  // namespace metamorph::libraries

// A unit's files on disk, what its sources include of the machine, and its archives. Compilers run in the folder of the
// files and see relative paths only, so that the same manifest gives the same bytes wherever that folder is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "build/command_runner.h"
#include "libraries/unit.h"
#include "util/interrupt.h"
#include "util/result.h"

namespace metamorph::libraries {

inline constexpr const char* k_commands_file = "commands";

struct CompileContext {
    build::CommandRunner& runner;
    const Target& target;
    const ToolchainIdentity& toolchain;
    std::map<std::string, std::filesystem::path> need_files;  // of each library that is needed, as it is in the store
    int jobs = 1;
};

// A folder of its own with the unit's files, patched. Errors: system; options (a patch does not apply), toolchain
// (there is no program to apply it).
Result<ScratchFolder> stage(const Unit& unit, build::CommandRunner& runner);

// Absolute paths of all headers that the sources include and that are neither the unit's nor a needed library's.
// Errors: toolchain (a header is missing, a flag is wrong: as of compile).
Result<std::vector<std::filesystem::path>> headers_of(const Unit& unit, const CompileContext& context,
                                                      const std::filesystem::path& staged);

// Compiles into `folder`: lib/libNAME.a of each member, include/ with what they export, and "commands", the commands as
// a shell script. Errors: toolchain (a source does not compile: the first lines that tell an error; the staged folder
// has all output and a script that repeats it), system.
Status compile(const Unit& unit, const CompileContext& context, const std::filesystem::path& staged,
               const std::filesystem::path& folder);

}  // namespace metamorph::libraries

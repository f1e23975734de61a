// The C compilers that generated code is built with: which there are, how they are found, what installs them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/command_runner.h"
#include "util/result.h"

namespace metamorph::build {

enum class Target { host, cortex_m4, rv32imc };

struct ToolchainDescription {
    std::string name;  // "gcc", "clang", "arm-gcc", "riscv-gcc"
    Target target = Target::host;
    std::string program;                    // in PATH
    std::vector<std::string> packages;      // Debian packages that bring it, with a C library
    std::vector<std::string> version;       // arguments that make it print its version
    std::vector<std::string> target_flags;  // that every compilation and link needs
};
const std::vector<ToolchainDescription>& known_toolchains();

struct Toolchain {
    std::string name;
    Target target = Target::host;
    std::filesystem::path compiler;
    std::string version;  // "19.1.7"
    std::vector<std::string> target_flags;
};

// Errors: options (no such name; suggests the nearest), toolchain (not installed, with the command that installs it; it
// does not tell its version).
Result<Toolchain> find_toolchain(CommandRunner& runner, const std::string& name);

// "apt-get install -y --no-install-recommends a b"; "" for no packages.
std::string apt_command(const std::vector<std::string>& packages);

// The first word of `text` that begins with a digit, without what follows a number: "19.1.7" of "clang version 19.1.7
// (3)".
std::string version_in(const std::string& text);

// The folders that a compiler looks for headers in, in its order, without symbolic links, of what it prints on standard
// error for -E -v. Both gcc and Clang.
std::vector<std::filesystem::path> header_folders_in(const std::string& told);

}  // namespace metamorph::build

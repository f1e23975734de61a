// Builds a project that was woven for a device, with its own toolchain file, as a user would.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::verify {

struct FirmwareBuild {
    std::filesystem::path folder;      // of CMake
    std::filesystem::path app, plain;  // ELF files
    std::string sizes;                 // what the build says of them, one line a program
};

struct FirmwareToolchain {
    std::string name;     // "gcc": of device/gcc.cmake
    std::string program;  // in PATH
    std::vector<std::string> packages;
};

// Configures and builds `project` in `folder` (made if absent, reused if there). Errors: toolchain (a tool is missing,
// with the apt command; it does not compile, with the first error lines and the log's path).
Result<FirmwareBuild> build_firmware(const std::filesystem::path& project, const std::filesystem::path& folder,
                                     const std::string& app_target, const std::string& plain_target,
                                     const FirmwareToolchain& toolchain, int jobs);

}  // namespace metamorph::verify

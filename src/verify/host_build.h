// Builds a woven project for this host with its own CMakeLists.txt, as a user would.
#pragma once

#include <filesystem>
#include <string>

#include "util/result.h"

namespace metamorph::verify {

enum class StoreTracing { off, on };  // on: with Clang 19, every store into mapped NVM becomes a place to cut

struct HostBuild {
    std::filesystem::path folder;  // of CMake
    std::filesystem::path app, plain;
};

// Configures and builds `project` in `folder` (made if absent, reused if there). Errors: toolchain (a tool is missing,
// with the apt command; it does not compile, with the first error lines and the log's path).
Result<HostBuild> build_for_host(const std::filesystem::path& project, const std::filesystem::path& folder,
                                 const std::string& app_target, const std::string& plain_target, StoreTracing tracing,
                                 int jobs);

}  // namespace metamorph::verify

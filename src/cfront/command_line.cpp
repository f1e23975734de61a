// Headers come from two places: Clang's resource folder has the freestanding ones, and the rest (string.h, math.h …)
// comes from the C library. Without a C library's headers Clang would silently drop the bodies that use them, so one is
// always named: for the host, the driver finds it itself; for bare metal it is given, or where Debian's packages put
// it.
#include "cfront/command_line.h"

#include <filesystem>
#include <system_error>

namespace metamorph::cfront {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

Result<std::string> resource_dir() {
    for (const char* candidate : {METAMORPH_CLANG_RESOURCE_DIR, "/usr/lib/llvm-19/lib/clang/19", "/usr/lib/clang/19"}) {
        if (is_there(fs::path(candidate) / "include" / "stdint.h")) {
            return std::string(candidate);
        }
    }
    return fail_with_hint(ErrorCode::toolchain, METAMORPH_CLANG_RESOURCE_DIR, "Clang's own headers are not installed",
                          "apt-get install -y --no-install-recommends libclang-common-19-dev");
}

std::vector<std::string> known_library_dirs(const std::string& target) {
    std::vector<std::string> candidates;
    if (target.starts_with("arm") || target.starts_with("thumb")) {
        candidates = {"/usr/lib/picolibc/arm-none-eabi/include", "/usr/include/newlib"};
    } else if (target.starts_with("riscv")) {
        candidates = {"/usr/lib/picolibc/riscv64-unknown-elf/include", "/usr/include/newlib"};
    } else if (target.find("linux") == std::string::npos) {
        candidates = {"/usr/include/newlib"};
    }
    std::vector<std::string> found;
    for (const std::string& candidate : candidates) {
        if (found.empty() && is_there(candidate)) {
            found.push_back(candidate);
        }
    }
    return found;
}

}  // namespace

Result<std::vector<std::string>> clang_command_line(const FrontEndInput& input, const std::string& source) {
    MM_TRY(const std::string resources, resource_dir());
    // Internal linkage and unused inline functions are emitted as well, since every definition is to be described;
    // errno and type-based aliasing are left out, so that less has to be assumed.
    std::vector<std::string> arguments = {"/usr/bin/clang-19",
                                          "-target",
                                          input.target.triple,
                                          "-resource-dir",
                                          resources,
                                          "-c",
                                          "-std=gnu17",
                                          "-w",
                                          "-ferror-limit=0",
                                          "-O1",
                                          "-gline-tables-only",
                                          "-fno-math-errno",
                                          "-fno-strict-aliasing",
                                          "-femit-all-decls",
                                          "-fno-discard-value-names"};
    for (const std::string& dir : input.include_dirs) {
        arguments.push_back("-I" + dir);
    }
    for (const std::string& define : input.defines) {
        arguments.push_back("-D" + define);
    }
    arguments.insert(arguments.end(), input.target.options.begin(), input.target.options.end());
    const std::vector<std::string>& given = input.target.library_dirs;
    for (const std::string& dir : given.empty() ? known_library_dirs(input.target.triple) : given) {
        arguments.insert(arguments.end(), {"-isystem", dir});
    }
    arguments.push_back(source);
    return arguments;
}

}  // namespace metamorph::cfront

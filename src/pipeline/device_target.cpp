// The flags are those of the device's Clang, where it describes one: the front end is Clang, too. Else the triple
// follows from the core and the flags from gcc's; what both know by the same name begins with -m. Whether the compiler
// that builds the project agrees on types is asserted in the project (adopt/adopted_files.cpp).
//
// Headers: a compiler's own (stddef.h and such) come from Clang, all others from the C library that the device's
// compiler is installed with. It says where: preprocessing nothing with -v.
#include "pipeline/device_target.h"

#include <algorithm>

#include <fmt/format.h>

#include "build/toolchain.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds k_timeout{30};

bool changes_types(const std::string& flag) {
    return flag.ends_with("signed-char") || flag.ends_with("short-enums") || flag.starts_with("-fpack-struct");
}

std::vector<std::string> options_of_gcc(const app::Compiler& gcc) {
    std::vector<std::string> options;
    std::copy_if(gcc.flags.begin(), gcc.flags.end(), std::back_inserter(options),
                 [](const std::string& flag) { return flag.starts_with("-m") || changes_types(flag); });
    return options;
}

std::string triple_of(const app::Device& device, const std::vector<std::string>& flags) {
    if (device.core == app::Core::rv32imc) {
        return "riscv32-unknown-elf";
    }
    const bool is_hard = std::find(flags.begin(), flags.end(), "-mfloat-abi=hard") != flags.end();
    return is_hard ? "thumbv7em-none-eabihf" : "thumbv7em-none-eabi";
}

bool is_compilers_own(const fs::path& dir) {
    std::error_code error;
    return fs::exists(dir / "stddef.h", error) || dir.filename() == "include-fixed";
}

Result<std::vector<std::string>> library_dirs(const app::Compiler& compiler, build::CommandRunner& runner) {
    const std::string install = build::apt_command(compiler.packages);
    const auto program = runner.find(compiler.program);
    if (!program) {
        return fail_with_hint(
            ErrorCode::toolchain, "PATH",
            fmt::format("'{}' is not installed, so what headers its C library has is not known", compiler.program),
            install);
    }
    ProcessRequest request;
    request.argv = {program->string()};
    request.argv.insert(request.argv.end(), compiler.flags.begin(), compiler.flags.end());
    request.argv.insert(request.argv.end(), {"-xc", "-E", "-v", "/dev/null"});
    request.environment = {{"LC_ALL", "C"}};
    request.timeout = k_timeout;
    MM_TRY(const ProcessOutcome outcome, runner.run(request));
    std::vector<std::string> dirs;
    for (const fs::path& dir : build::header_folders_in(outcome.errors)) {
        std::error_code error;
        if (fs::exists(dir, error) && !is_compilers_own(dir)) {
            dirs.push_back(dir.string());
        }
    }
    if (!outcome.succeeded() || dirs.empty()) {
        return fail_with_hint(
            ErrorCode::toolchain, compiler.program,
            outcome.succeeded() ? "it has no C library: it names no folder with headers of one"
                                : fmt::format("it does not say where the C library's headers are: {}", outcome.print()),
            install);
    }
    return dirs;
}

}  // namespace

Result<cfront::Target> target_of(const app::Device& device, build::CommandRunner& runner) {
    const app::Compiler& first = device.compilers.front();
    const app::Compiler* clang = device.compiler("clang");
    cfront::Target target;
    target.options = clang != nullptr ? clang->flags : options_of_gcc(first);
    target.triple = triple_of(device, target.options);
    if (device.core == app::Core::cortex_m4f && first.name == "gcc") {
        target.options.insert(target.options.begin(), "-fshort-enums");  // gcc's choice for bare metal, and the ABI's
    }
    MM_TRY(target.library_dirs, library_dirs(first, runner));
    return target;
}

}  // namespace metamorph::pipeline

#include "verify/host_build.h"

#include <fmt/format.h>

#include "build/compile.h"
#include "util/file.h"
#include "util/process.h"

namespace metamorph::verify {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_log_bytes_max = 64 << 20;

Status need_program(const std::string& program, const std::string& package) {
    if (!find_program(program)) {
        return fail_with_hint(ErrorCode::toolchain, "PATH", fmt::format("'{}' is not installed", program),
                              fmt::format("apt-get install -y --no-install-recommends {}", package));
    }
    return {};
}

Status run_logged(const std::vector<std::string>& argv, const fs::path& log, const std::string& what) {
    ProcessRequest request;
    request.argv = argv;
    request.output_file = log;
    request.error_file = log;
    MM_TRY(const ProcessOutcome outcome, run_process(request));
    if (!outcome.succeeded()) {
        std::string text;
        if (const auto bytes = read_file(log, k_log_bytes_max)) {
            text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
        }
        return fail_with_hint(ErrorCode::toolchain, log.string(),
                              fmt::format("{} failed: {}\n{}", what, outcome.print(), build::first_errors(text)),
                              "the whole output is in this file");
    }
    return {};
}

}  // namespace

Result<HostBuild> build_for_host(const fs::path& project, const fs::path& folder, const std::string& app_target,
                                 const std::string& plain_target, StoreTracing tracing, int jobs) {
    MM_CHECK(need_program("cmake", "cmake"));
    MM_CHECK(need_program("ninja", "ninja-build"));
    MM_CHECK(need_program("clang-19", "clang-19"));
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return fail(ErrorCode::system, folder.string(), "the build folder cannot be made: {}", error.message());
    }
    MM_CHECK(run_logged(
        {"cmake", "-G", "Ninja", "-S", project.string(), "-B", folder.string(), "-DCMAKE_C_COMPILER=clang-19",
         "-DCMAKE_BUILD_TYPE=Release", fmt::format("-DMM_TRACE_STORES={}", tracing == StoreTracing::on ? "ON" : "OFF")},
        folder / "configure.log", "configuring the woven project"));
    MM_CHECK(run_logged({"cmake", "--build", folder.string(), "-j", std::to_string(jobs)}, folder / "build.log",
                        "building the woven project"));
    return HostBuild{folder, folder / app_target, folder / plain_target};
}

}  // namespace metamorph::verify

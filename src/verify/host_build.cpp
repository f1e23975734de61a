#include "verify/host_build.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "util/file.h"
#include "util/process.h"

namespace metamorph::verify {
namespace {

namespace fs = std::filesystem;

constexpr int k_lines_shown_max = 8;
constexpr std::int64_t k_log_bytes_max = 64 << 20;

// The lines that say what is wrong; the last lines where none does.
std::string first_errors(const std::string& log) {
    std::vector<std::string> errors, all;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        all.push_back(line);
        if (line.find("error") != std::string::npos || line.find("Error") != std::string::npos) {
            errors.push_back(line);
        }
    }
    std::vector<std::string>& shown = errors.empty() ? all : errors;
    const std::size_t count = std::min<std::size_t>(shown.size(), k_lines_shown_max);
    const auto begin = errors.empty() ? shown.end() - static_cast<std::ptrdiff_t>(count) : shown.begin();
    std::string text;
    for (auto line = begin; line != begin + static_cast<std::ptrdiff_t>(count); ++line) {
        text += "\n    " + *line;
    }
    return text;
}

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
                              fmt::format("{} failed: {}{}", what, outcome.print(), first_errors(text)),
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

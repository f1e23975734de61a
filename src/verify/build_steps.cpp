#include "verify/build_steps.h"

#include <fmt/format.h>

#include "build/compile.h"
#include "util/file.h"
#include "util/process.h"

namespace metamorph::verify {
namespace {

constexpr std::int64_t k_log_bytes_max = 64 << 20;

}  // namespace

namespace fs = std::filesystem;

Status make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return fail(ErrorCode::system, folder.string(), "the build folder cannot be made: {}", error.message());
    }
    return {};
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
                              fmt::format("{} failed: {}\n{}", what, outcome.print(), build::first_errors(text)),
                              "the whole output is in this file");
    }
    return {};
}

}  // namespace metamorph::verify

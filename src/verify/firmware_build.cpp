#include "verify/firmware_build.h"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/file.h"
#include "verify/build_steps.h"

namespace metamorph::verify {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_log_bytes_max = 64 << 20;

// The lines of device/report.cmake: "NAME_app: flash …", "runtime: code …".
std::string sizes_in(const fs::path& log, const std::vector<std::string>& programs) {
    std::string sizes;
    const auto bytes = read_file(log, k_log_bytes_max);
    if (!bytes) {
        return sizes;
    }
    std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    for (std::string line; std::getline(lines, line);) {
        for (const std::string& program : programs) {
            if (line.starts_with(program + ": ")) {
                sizes += line + "\n";
            }
        }
    }
    return sizes;
}

}  // namespace

Result<FirmwareBuild> build_firmware(const fs::path& project, const fs::path& folder, const std::string& app_target,
                                     const std::string& plain_target, const FirmwareToolchain& toolchain, int jobs) {
    MM_CHECK(need_program("cmake", "cmake"));
    MM_CHECK(need_program("ninja", "ninja-build"));
    MM_CHECK(need_program(toolchain.program, fmt::format("{}", fmt::join(toolchain.packages, " "))));
    MM_CHECK(make_folder(folder));
    const fs::path file = project / "device" / (toolchain.name + ".cmake");
    MM_CHECK(run_logged({"cmake", "-G", "Ninja", "-S", project.string(), "-B", folder.string(),
                         "-DCMAKE_TOOLCHAIN_FILE=" + file.string()},
                        folder / "configure.log", "configuring the woven project"));
    MM_CHECK(run_logged({"cmake", "--build", folder.string(), "-j", std::to_string(jobs)}, folder / "build.log",
                        "building the woven project"));
    return FirmwareBuild{folder, folder / app_target, folder / plain_target,
                         sizes_in(folder / "build.log", {app_target, plain_target, "runtime"})};
}

}  // namespace metamorph::verify

#include "verify/host_build.h"

#include <fmt/format.h>

#include "verify/build_steps.h"

namespace metamorph::verify {

namespace fs = std::filesystem;

Result<HostBuild> build_for_host(const fs::path& project, const fs::path& folder, const std::string& app_target,
                                 const std::string& plain_target, StoreTracing tracing, int jobs) {
    MM_CHECK(need_program("cmake", "cmake"));
    MM_CHECK(need_program("ninja", "ninja-build"));
    MM_CHECK(need_program("clang-19", "clang-19"));
    MM_CHECK(make_folder(folder));
    MM_CHECK(run_logged(
        {"cmake", "-G", "Ninja", "-S", project.string(), "-B", folder.string(), "-DCMAKE_C_COMPILER=clang-19",
         "-DCMAKE_BUILD_TYPE=Release", fmt::format("-DMM_TRACE_STORES={}", tracing == StoreTracing::on ? "ON" : "OFF")},
        folder / "configure.log", "configuring the woven project"));
    MM_CHECK(run_logged({"cmake", "--build", folder.string(), "-j", std::to_string(jobs)}, folder / "build.log",
                        "building the woven project"));
    return HostBuild{folder, folder / app_target, folder / plain_target};
}

}  // namespace metamorph::verify

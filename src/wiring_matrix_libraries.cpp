#include "wiring_matrix_libraries.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/device.h"
#include "pipeline/process_libraries.h"
#include "wiring_matrix_plan.h"
#include "wiring_output.h"

namespace metamorph::cli {

Result<int> build_project_libraries(const LibsOptions& options) {
    MatrixOptions matrix;
    matrix.project = options.project;
    MM_TRY(const PlannedMatrix planned, plan_matrix(matrix));
    MM_TRY(pipeline::OpenLibraries * open, pipeline::OpenLibraries::of_process());
    const bool tells = !options.json && !options.quiet;
    std::set<std::string> seen;
    for (const std::vector<NeededLibrary>& needed : planned.libraries) {
        for (const NeededLibrary& one : needed) {
            if (!seen.insert(one.key).second) {
                continue;
            }
            libraries::LibraryWish wish = one.wish;
            wish.jobs = options.jobs;
            MM_TRY(const app::Device device, app::find_device(one.device_of));
            MM_TRY(const libraries::LibrarySet set, open->get(device, wish));
            for (const libraries::BuiltLibrary& library : set.members) {
                print(tells ? fmt::format("{:<20} {:<20} {:<7} {}  {:.2f} s\n", library.name, one.device,
                                          store::name_of(library.outcome), library.key.substr(0, 12), library.seconds)
                            : std::string());
            }
        }
    }
    if (options.json) {
        print(nlohmann::ordered_json{{"schema", "metamorph-libs-build-1"},
                                     {"libraries", pipeline::given_libraries_json()}});
    } else if (tells && seen.empty()) {
        print(std::string("the runs of this project need no library\n"));
    }
    return 0;
}

}  // namespace metamorph::cli

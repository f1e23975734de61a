// From a project's points to runs that this machine can do, or the reason why not.
#pragma once

#include <vector>

#include "cli/matrix_options.h"
#include "libraries/library_for.h"
#include "matrix/session.h"
#include "project/points.h"
#include "util/result.h"

namespace metamorph::cli {

// A runtime library that a run takes from the store, or builds.
struct NeededLibrary {
    std::string name, device;  // whose compiler makes it: "host", too
    std::string key;           // empty: none can be told, as the compiler refuses
    bool is_stored = false;
    std::string device_of;        // as find_device takes it
    libraries::LibraryWish wish;  // that gives it
};

// The project with what the command line changes, and its points.
struct PlannedMatrix {
    project::Project project;
    std::vector<project::Point> points;
    std::string frameworks;  // folder of the user's descriptions, absolute; empty: there is none
    std::vector<std::vector<NeededLibrary>> libraries;  // of each run
    std::vector<matrix::NewRun> runs;  // one a point, in order; of what is excluded only name and `skipped` count
};
// Sets METAMORPH_FRAMEWORKS where it is not set: to the folder frameworks beside the project file.
// Errors: those of load_project, adopt_selection and expand; of descriptions of devices and generators.
Result<PlannedMatrix> plan_matrix(const MatrixOptions& options);

}  // namespace metamorph::cli

// The runtime libraries that the runs of a project need, built ahead.
#pragma once

#include "cli/commands.h"
#include "util/result.h"

namespace metamorph::cli {

// `options.project` names the project file. Errors: those of plan_matrix and library_for.
Result<int> build_project_libraries(const LibsOptions& options);

}  // namespace metamorph::cli

// The command that knows of runtime libraries and of the store.
#pragma once

#include "cli/commands.h"

namespace metamorph::cli {

Result<int> run_libs(const LibsOptions& options);

}  // namespace metamorph::cli

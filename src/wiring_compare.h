// The command that puts generators side by side.
#pragma once

#include "cli/commands.h"
#include "util/result.h"

namespace metamorph::cli {

Result<int> run_compare(const CompareOptions& options);

}  // namespace metamorph::cli

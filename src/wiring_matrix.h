// The commands on project files and sessions.
#pragma once

#include "cli/commands.h"
#include "util/result.h"

namespace metamorph::cli {

Result<int> run_init(const InitOptions& options);
Result<int> run_matrix(const MatrixOptions& options);
Result<int> run_report(const ReportOptions& options);
Result<int> run_why(const WhyOptions& options);

}  // namespace metamorph::cli

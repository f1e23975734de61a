// The commands that know of other people's generators.
#pragma once

#include "cli/commands.h"
#include "generate/driver/driver.h"
#include "util/result.h"

namespace metamorph::cli {

// What a command line says of a generator, as the driver wants it.
generate::DriverRequest driver_request(const GeneratorOptions& options, const std::filesystem::path& model,
                                       const std::string& prefix);

Result<int> run_foreign_generate(const GenerateOptions& options);
Result<int> run_frameworks(const FrameworksOptions& options);
Result<int> run_doctor(const DoctorOptions& options);

}  // namespace metamorph::cli

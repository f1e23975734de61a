// The commands that know of other people's generators.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "generate/driver/driver.h"
#include "util/result.h"

namespace metamorph::cli {

// The options again as on a command line, with a space in front of each, without folders that are this machine's; empty
// for the native generator.
std::string command_options(const GeneratorOptions& options);

// What a command line says of a generator, as the driver wants it.
generate::DriverRequest driver_request(const GeneratorOptions& options, const std::filesystem::path& model,
                                       const std::string& prefix);

// What the generator gives for this model, its notes on standard error; of the native one nothing. Errors: as of
// generate::run_generator.
Result<std::optional<generate::ForeignCode>> foreign_code(const GeneratorOptions& options,
                                                          const std::filesystem::path& model, const std::string& prefix,
                                                          const CommonOptions& common);

Result<int> run_foreign_inspect(const InspectOptions& options);
Result<int> run_foreign_generate(const GenerateOptions& options);
Result<int> run_frameworks(const FrameworksOptions& options);
Result<int> run_doctor(const DoctorOptions& options);

}  // namespace metamorph::cli

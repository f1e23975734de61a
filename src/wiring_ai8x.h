// The commands for the MAX78000's generator, which makes a project a part and not one for the whole network.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "parts/merge.h"
#include "pipeline/frameworks.h"
#include "tasks/partition.h"
#include "util/result.h"

namespace metamorph::cli {

bool is_ai8x(const GeneratorOptions& options);

// The merged parts, their notes on standard error; of other generators nothing. Errors: as of pipeline::run_ai8x;
// options that are for C with one entry.
Result<std::optional<parts::MergedCode>> merged_parts(const GeneratorOptions& options,
                                                      const std::filesystem::path& model, const std::string& prefix,
                                                      const tasks::Split& split, const CommonOptions& common);

// The command for the network as one part. Errors: as of pipeline::plan_ai8x.
Result<pipeline::ShownCommands> ai8x_commands(const FrameworksOptions& options, const app::Framework& framework);

// What a command says that cannot do it.
tl::unexpected<Error> refuse_ai8x(const std::string& command);

Result<int> run_ai8x_inspect(const InspectOptions& options);

}  // namespace metamorph::cli

// What run and verify share beyond the form of their options: inputs, processes, the folder that stays, and a model
// that may be woven already.
#pragma once

#include <span>

#include "cli/subcommand.h"

namespace metamorph::cli {

class ExecutionCommand : public Subcommand {
protected:
    using Subcommand::Subcommand;

    // --tasks, --slice, --prefix, --explain.
    Status read_split(ExecutionOptions& options) const;
    // --inferences, --inputs, --seed.
    Status read_inputs(ExecutionOptions& options, std::uint64_t inferences_max) const;
    // MODEL, and --generator with what belongs to it. `for_weaving`: options that mean nothing where it is woven
    // already.
    Status read_model_or_project(ExecutionOptions& options, std::span<const char* const> for_weaving) const;
};

}  // namespace metamorph::cli

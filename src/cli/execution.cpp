#include "cli/execution.h"

#include <limits>

#include <CLI/CLI.hpp>

#include "cli/values.h"

namespace metamorph::cli {

namespace fs = std::filesystem;

Status ExecutionCommand::read_split(ExecutionOptions& options) const {
    options.explain = has("--explain");
    MM_TRY(options.tasks, read_tasks());
    MM_TRY(options.slices, read_slices());
    MM_TRY(options.prefix, read_prefix());
    return {};
}

Status ExecutionCommand::read_inputs(ExecutionOptions& options, std::uint64_t inferences_max) const {
    MM_CHECK(exclude("--inputs", "--seed", "the seed is for random inputs: leave one of them out"));
    if (const auto inferences = text("--inferences")) {
        MM_TRY(const std::uint64_t number, read_number("--inferences", *inferences, 1, inferences_max));
        options.inferences = static_cast<int>(number);
    }
    if (const auto seed = text("--seed")) {
        MM_TRY(options.seed, read_number("--seed", *seed, 0, std::numeric_limits<std::uint64_t>::max()));
    }
    if (const auto inputs = text("--inputs")) {
        options.inputs = *inputs;
        MM_CHECK(need_file("--inputs", options.inputs));
    }
    return {};
}

Status ExecutionCommand::read_model_or_project(ExecutionOptions& options,
                                               std::span<const char* const> for_weaving) const {
    const std::string command = app().get_name();
    MM_TRY(options.generator, read_generator());
    MM_TRY(options.model, needed("MODEL", fmt::format("metamorph {} MODEL --tasks 3,3", command)));
    std::error_code error;
    options.is_woven = options.generator.is_native() && fs::is_directory(options.model, error);
    if (!options.is_woven) {
        MM_TRY(options.model, read_model(options.generator, ""));
        return {};
    }
    for (const char* option : for_weaving) {
        if (has(option)) {
            return fail_with_hint(
                ErrorCode::options, option,
                fmt::format("{} is for weaving, and '{}' is woven already", option, options.model.string()),
                fmt::format("leave it out, or {} the model itself", command));
        }
    }
    return {};
}

}  // namespace metamorph::cli

#include "wiring_ai8x.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/framework.h"
#include "pipeline/ai8x.h"
#include "wiring_output.h"

namespace metamorph::cli {

bool is_ai8x(const GeneratorOptions& options) {
    return options.name == pipeline::k_ai8x;
}

Result<std::optional<parts::MergedCode>> merged_parts(const GeneratorOptions& options,
                                                      const std::filesystem::path& model, const std::string& prefix,
                                                      const tasks::Split& split, const CommonOptions& common) {
    if (!is_ai8x(options)) {
        return std::nullopt;
    }
    if (!options.entry.empty() || !options.parameters.empty() || !options.include_dirs.empty() ||
        !options.defines.empty()) {
        return fail_with_hint(ErrorCode::options, "--generator ai8x",
                              "--entry, --arena, --parameter, --include and --define are for C with one entry",
                              "leave them out: each part is a step of an entry that Metamorph writes");
    }
    MM_TRY(const app::Framework framework, app::find_framework(options.name));
    pipeline::Ai8xRequest request{model, prefix, options.options, split, options.seconds_max.value_or(0)};
    MM_TRY(parts::MergedCode merged, pipeline::run_ai8x(framework, request));
    if (!common.quiet && !common.json) {
        for (const std::string& note : merged.code.adopted->notes) {
            remark("note: " + note);
        }
    }
    return merged;
}

Result<pipeline::ShownCommands> ai8x_commands(const FrameworksOptions& options, const app::Framework& framework) {
    pipeline::Ai8xRequest request{options.model, options.prefix, options.generator.options, {}, 0};
    request.split.kind = tasks::Split::Kind::whole;
    MM_TRY(const auto planned, pipeline::plan_ai8x(framework, request, "OUT"));
    pipeline::ShownCommands shown{framework.name, true, {}};
    for (const generate::ai8x::PartCommand& command : planned) {
        shown.commands.push_back({"generate " + command.name, command.argv});
    }
    return shown;
}

tl::unexpected<Error> refuse_ai8x(const std::string& command) {
    return fail_with_hint(
        ErrorCode::options, "--generator",
        fmt::format("'metamorph {}' cannot do this for ai8x: its C runs on the MAX78000's accelerator, "
                    "which is not emulated, and is made for each part anew",
                    command),
        "'metamorph weave' writes a project, 'metamorph run' cuts its power on this machine");
}

Result<int> run_ai8x_inspect(const InspectOptions& options) {
    MM_TRY(const auto layers, pipeline::inspect_ai8x(options.model));
    options.json ? print(pipeline::json_of(layers)) : print(pipeline::text_of(layers));
    return 0;
}

}  // namespace metamorph::cli

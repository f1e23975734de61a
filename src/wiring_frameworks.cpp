#include "wiring_frameworks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build/doctor.h"
#include "generate/driver/generator_process.h"
#include "pipeline/ai8x.h"
#include "pipeline/frameworks.h"
#include "pipeline/process_libraries.h"
#include "pipeline/project_folder.h"
#include "wiring_ai8x.h"
#include "wiring_output.h"

namespace metamorph::cli {
namespace {

using nlohmann::ordered_json;

generate::ForeignParameter parameter_of(const GeneratorOptions::Parameter& given) {
    using Role = generate::ForeignParameter::Role;
    generate::ForeignParameter parameter;
    parameter.name = given.name;
    parameter.role = given.role == "input"      ? Role::input
                     : given.role == "output"   ? Role::output
                     : given.role == "arena"    ? Role::arena
                     : given.role == "constant" ? Role::constant
                                                : Role::null;
    if (given.number && parameter.role == Role::constant) {
        parameter.value = static_cast<std::int64_t>(*given.number);
    } else if (given.number) {
        parameter.bytes = static_cast<std::int64_t>(*given.number);
    }
    return parameter;
}

Result<int> show_command(const FrameworksOptions& options, const app::Framework& framework) {
    generate::DriverRequest request = driver_request(options.generator, options.model, options.prefix);
    MM_TRY(const pipeline::ShownCommands shown, framework.name == pipeline::k_ai8x
                                                    ? ai8x_commands(options, framework)
                                                    : pipeline::commands_for(framework, request));
    if (options.json) {
        print(pipeline::json_of(shown));
        return 0;
    }
    if (!options.quiet) {
        remark(framework.name == pipeline::k_ai8x
                   ? "what is run for one task; each task is a command, with the flags that make it a part:"
               : shown.commands.empty() ? "nothing is run: the model is C already"
               : !shown.is_installed    ? "it is not installed; what would be run in an empty folder once it is:"
                                        : "what is run, in an empty folder:");
    }
    for (const generate::GeneratorCommand& command : shown.commands) {
        print(generate::quoted(command.argv) + "\n");
    }
    return 0;
}

}  // namespace

std::string command_options(const GeneratorOptions& options) {
    if (options.is_native()) {
        return {};
    }
    const auto without_machine = [](const std::filesystem::path& path) {
        return path.is_absolute() ? path.filename().string() : path.string();
    };
    std::vector<std::string> words{"--generator", without_machine(options.name)};
    for (const auto& [name, value] : options.options) {
        words.insert(words.end(), {"--option", name + "=" + without_machine(value)});
    }
    if (!options.entry.empty()) {
        words.insert(words.end(), {"--entry", options.entry});
    }
    for (const GeneratorOptions::Parameter& parameter : options.parameters) {
        const std::string number = parameter.number ? fmt::format(":{}", *parameter.number) : "";
        words.insert(words.end(), {"--parameter", fmt::format("{}={}{}", parameter.name, parameter.role, number)});
    }
    for (const std::filesystem::path& folder : options.include_dirs) {
        words.insert(words.end(), {"--include", without_machine(folder)});
    }
    for (const std::string& define : options.defines) {
        words.insert(words.end(), {"--define", define});
    }
    return " " + generate::quoted(words);
}

generate::DriverRequest driver_request(const GeneratorOptions& options, const std::filesystem::path& model,
                                       const std::string& prefix) {
    generate::DriverRequest request;
    request.model = model;
    request.prefix = prefix;
    request.options = options.options;
    request.entry = options.entry;
    for (const GeneratorOptions::Parameter& parameter : options.parameters) {
        request.parameters.push_back(parameter_of(parameter));
    }
    request.include_dirs = options.include_dirs;
    request.defines = options.defines;
    request.timeout = std::chrono::seconds(options.seconds_max.value_or(0));
    return request;
}

Result<std::optional<generate::ForeignCode>> foreign_code(const GeneratorOptions& options,
                                                          const std::filesystem::path& model, const std::string& prefix,
                                                          const CommonOptions& common) {
    if (options.is_native()) {
        return std::nullopt;
    }
    if (is_ai8x(options)) {
        return refuse_ai8x("verify");
    }
    MM_TRY(const app::Framework framework, app::find_framework(options.name));
    MM_TRY(generate::ForeignCode code, pipeline::generate_code(framework, driver_request(options, model, prefix)));
    for (const std::string& note : code.notes) {
        if (!common.quiet && !common.json) {
            remark("note: " + note);
        }
    }
    return code;
}

Result<int> run_foreign_inspect(const InspectOptions& options) {
    if (is_ai8x(options.generator)) {
        return run_ai8x_inspect(options);
    }
    MM_TRY(const app::Framework framework, app::find_framework(options.generator.name));
    MM_TRY(const generate::ForeignCode code,
           pipeline::generate_code(framework, driver_request(options.generator, options.model, options.prefix)));
    MM_TRY(const pipeline::ForeignSteps steps, pipeline::inspect_foreign(framework, code));
    options.json ? print(pipeline::json_of(steps)) : print(pipeline::text_of(steps));
    return 0;
}

Result<int> run_foreign_generate(const GenerateOptions& options) {
    if (is_ai8x(options.generator)) {
        return refuse_ai8x("generate");
    }
    MM_TRY(const app::Framework framework, app::find_framework(options.generator.name));
    MM_TRY(const generate::ForeignCode code,
           pipeline::generate_code(framework, driver_request(options.generator, options.model, options.prefix)));
    MM_TRY(const pipeline::WriteCounts counts, pipeline::write_project(options.output, code.files));
    if (options.json) {
        ordered_json json = pipeline::json_of(code);
        json["folder"] = options.output.string();
        json["written"] = counts.written;
        json["unchanged"] = counts.unchanged;
        json["removed"] = counts.removed;
        print(json);
    } else if (!options.quiet) {
        print(fmt::format("{}: {} files, {} written; {}; entry {}\n", options.output.string(), code.files.size(),
                          counts.written, code.generator, code.entry));
        for (const std::string& note : code.notes) {
            print(fmt::format("note: {}\n", note));
        }
    }
    return 0;
}

Result<int> run_frameworks(const FrameworksOptions& options) {
    if (options.framework) {
        MM_TRY(const app::Framework framework, app::find_framework(*options.framework, "NAME"));
        if (!options.model.empty()) {
            return show_command(options, framework);
        }
        MM_TRY(const pipeline::FrameworkStatus status, pipeline::status_of(framework));
        options.json ? print(pipeline::json_of(status)) : print(pipeline::text_of(status));
        return 0;
    }
    MM_TRY(const std::vector<pipeline::FrameworkStatus> all, pipeline::list_frameworks());
    if (options.quiet) {
        for (const pipeline::FrameworkStatus& status : all) {
            print(status.framework.name + "\n");
        }
        return 0;
    }
    options.json ? print(pipeline::list_json(all)) : print(pipeline::list_text(all));
    return 0;
}

Result<int> run_doctor(const DoctorOptions& options) {
    if (!options.install.empty()) {
        MM_TRY(const app::Framework framework, app::find_framework(options.install, "--install"));
        MM_TRY(const generate::Installation made, generate::install(framework, [&](const std::string& what) {
                   if (!options.quiet && !options.json) {
                       remark(what);
                   }
               }));
        const pipeline::FrameworkStatus status{framework, made};
        options.json
            ? print(pipeline::json_of(status))
            : print(fmt::format("{} {} is installed: {}\n", framework.name, made.version, made.program.string()));
        return 0;
    }
    build::ProcessRunner runner;
    const build::Diagnosis diagnosis = build::diagnose(runner);
    options.json ? print(build::to_json(diagnosis)) : print(build::print(diagnosis, options.quiet));
    return diagnosis.core_complete() ? 0 : static_cast<int>(ErrorCode::toolchain);
}

}  // namespace metamorph::cli

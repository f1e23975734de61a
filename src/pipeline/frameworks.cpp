#include "pipeline/frameworks.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "adopt/adopt.h"
#include "pipeline/ai8x.h"
#include "util/text.h"

namespace metamorph::pipeline {
namespace {

using nlohmann::ordered_json;
using State = generate::Installation::State;

std::string state_text(const FrameworkStatus& status) {
    const generate::Installation& found = status.installation;
    switch (found.state) {
        case State::missing:
            return "not installed";
        case State::unsuitable:
            return fmt::format("unsuitable: {}", found.problem);
        case State::installed:
            break;
    }
    return status.framework.kind == app::GeneratorKind::none ? std::string("ready")
           : found.version.empty()                           ? std::string("installed")
                                                             : found.version;
}

const char* state_word(State state) {
    return state == State::installed ? "installed" : state == State::unsuitable ? "unsuitable" : "missing";
}

std::string formats_text(const app::Framework& framework) {
    return fmt::format("{}", fmt::join(framework.formats, ","));
}

std::string option_text(const app::FrameworkOption& option) {
    std::string text =
        fmt::format("  {}={}", option.name,
                    option.choices.empty() ? std::string("TEXT") : fmt::format("{}", fmt::join(option.choices, "|")));
    text += option.default_value ? fmt::format("  (default {})", *option.default_value) : "";
    text += option.repeats ? "  (may be repeated)" : "";
    text += option.excludes.empty() ? "" : fmt::format("  (not with {})", fmt::join(option.excludes, ", "));
    return text + fmt::format("\n      {}\n", option.description);
}

// Of the function that a step calls, as the comment before its definition says. "net_step_03_node3_conv" calls
// "node3_conv".
std::string operator_of(const app::Framework& framework, const generate::ForeignCode& code, const std::string& step) {
    const std::size_t number = step.find("_step_");
    const std::size_t name = number == std::string::npos ? number : step.find('_', number + 6);
    if (framework.operator_comment.empty() || name == std::string::npos) {
        return {};
    }
    for (const std::string& source : code.sources) {
        const std::string& text = code.files.at(source);
        const std::size_t definition = text.find(" " + step.substr(name + 1) + "(");
        const std::size_t at =
            definition == std::string::npos ? definition : text.rfind(framework.operator_comment, definition);
        if (at != std::string::npos) {
            const std::size_t begin = at + framework.operator_comment.size();
            return printable(text.substr(begin, text.find_first_of(" \r\n", begin) - begin));
        }
    }
    return {};
}

}  // namespace

Result<FrameworkStatus> status_of(const app::Framework& framework) {
    MM_TRY(generate::Installation installation, generate::find_installation(framework));
    if (const char* program = framework.name == k_ai8x ? std::getenv(k_ai8x_variable) : nullptr) {
        std::error_code error;
        const bool is_there = std::filesystem::is_regular_file(program, error);
        installation = {is_there ? State::installed : State::unsuitable,
                        is_there ? program : "",
                        "",
                        k_ai8x_variable,
                        {},
                        is_there ? "" : fmt::format("{} names no file: {}", k_ai8x_variable, printable(program))};
    }
    return FrameworkStatus{framework, std::move(installation)};
}

Result<std::vector<FrameworkStatus>> list_frameworks() {
    std::vector<FrameworkStatus> all;
    for (const std::string& name : app::reachable_framework_names()) {
        MM_TRY(const app::Framework framework, app::find_framework(name));
        MM_TRY(FrameworkStatus status, status_of(framework));
        all.push_back(std::move(status));
    }
    return all;
}

std::string list_text(const std::vector<FrameworkStatus>& all) {
    std::size_t name = 6, formats = 0, state = 0;
    for (const FrameworkStatus& status : all) {
        name = std::max(name, status.framework.name.size());
        formats = std::max(formats, formats_text(status.framework).size());
        state = std::max(state, state_text(status).size());
    }
    std::string text = fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", "native", name, "tflite", formats, "built in", state,
                                   "Metamorph's own: bit-exact C11, a file a layer");
    bool is_missing = false;
    for (const FrameworkStatus& status : all) {
        text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", status.framework.name, name, formats_text(status.framework),
                            formats, state_text(status), state, status.framework.description);
        is_missing = is_missing || !status.installation.is_ready();
    }
    return text + (is_missing ? "\nTo install one: metamorph doctor --install NAME\n" : "");
}

ordered_json list_json(const std::vector<FrameworkStatus>& all) {
    ordered_json document{{"schema", "metamorph-frameworks-1"}, {"frameworks", ordered_json::array()}};
    for (const FrameworkStatus& status : all) {
        document["frameworks"].push_back({{"name", status.framework.name},
                                          {"description", status.framework.description},
                                          {"formats", status.framework.formats},
                                          {"state", state_word(status.installation.state)},
                                          {"version", status.installation.version},
                                          {"problem", status.installation.problem}});
    }
    return document;
}

std::string text_of(const FrameworkStatus& status) {
    const app::Framework& framework = status.framework;
    std::string text =
        fmt::format("{}: {}\ntakes: {}\n", framework.name, framework.description, formats_text(framework));
    text += fmt::format("state: {}", state_text(status));
    if (!status.installation.program.empty()) {
        text += fmt::format(" ({}: {})", status.installation.place, status.installation.program.string());
    }
    text += "\n";
    if (framework.kind != app::GeneratorKind::none) {
        text += fmt::format("install: {}\n", generate::how_to_install(framework));
        if (!framework.version_min.empty() || !framework.version_below.empty()) {
            text += fmt::format(
                "versions: {}{}\n", framework.version_min.empty() ? "" : fmt::format("from {} ", framework.version_min),
                framework.version_below.empty() ? "" : fmt::format("below {}", framework.version_below));
        }
        for (const auto* command : {&framework.prepare_command, &framework.command}) {
            text += command->empty() ? "" : fmt::format("runs: {}\n", fmt::join(*command, " "));
        }
    }
    text += fmt::format("compiled: {}\n", fmt::join(framework.sources, " "));
    text += framework.entry.empty() ? "" : fmt::format("entry: {}\n", framework.entry);
    for (const app::FrameworkParameter& parameter : framework.parameters) {
        text += fmt::format("  parameter {}: {}{}\n", parameter.name, parameter.role,
                            parameter.bytes                 ? fmt::format(", {} bytes", *parameter.bytes)
                            : parameter.bytes_macro.empty() ? std::string()
                                                            : fmt::format(", {} bytes", parameter.bytes_macro));
    }
    text += framework.options.empty() ? "" : "options (--option NAME=VALUE):\n";
    for (const app::FrameworkOption& option : framework.options) {
        text += option_text(option);
    }
    text += framework.hazards.empty() ? "" : "known hazards:\n";
    for (const app::FrameworkHazard& hazard : framework.hazards) {
        text += fmt::format("  {}{}\n", hazard.text, hazard.refuse ? " (refused)" : "");
    }
    return text;
}

ordered_json json_of(const FrameworkStatus& status) {
    const app::Framework& framework = status.framework;
    ordered_json document{
        {"schema", "metamorph-framework-1"},
        {"name", framework.name},
        {"description", framework.description},
        {"kind", app::name_of(framework.kind)},
        {"formats", framework.formats},
        {"state", state_word(status.installation.state)},
        {"version", status.installation.version},
        {"program", status.installation.program.string()},
        {"problem", status.installation.problem},
        {"install", framework.kind == app::GeneratorKind::none ? std::string() : generate::how_to_install(framework)},
        {"packages", framework.packages},
        {"command", framework.command},
        {"prepare", framework.prepare_command},
        {"sources", framework.sources},
        {"entry", framework.entry},
        {"options", ordered_json::array()},
        {"hazards", ordered_json::array()}};
    for (const app::FrameworkOption& option : framework.options) {
        ordered_json entry{{"name", option.name},
                           {"description", option.description},
                           {"choices", option.choices},
                           {"excludes", option.excludes},
                           {"repeats", option.repeats}};
        entry["default"] = option.default_value ? ordered_json(*option.default_value) : ordered_json();
        document["options"].push_back(std::move(entry));
    }
    for (const app::FrameworkHazard& hazard : framework.hazards) {
        document["hazards"].push_back({{"text", hazard.text}, {"refused", hazard.refuse}});
    }
    return document;
}

Result<ShownCommands> commands_for(const app::Framework& framework, const generate::DriverRequest& request) {
    MM_TRY(const generate::Installation installation, generate::find_installation(framework));
    MM_TRY(std::vector<generate::GeneratorCommand> commands, generate::plan_commands(framework, installation, request));
    return ShownCommands{framework.name, installation.is_ready(), std::move(commands)};
}

ordered_json json_of(const ShownCommands& shown) {
    ordered_json document{{"schema", "metamorph-command-1"},
                          {"framework", shown.framework},
                          {"installed", shown.is_installed},
                          {"commands", ordered_json::array()}};
    for (const generate::GeneratorCommand& command : shown.commands) {
        document["commands"].push_back({{"purpose", command.purpose}, {"argv", command.argv}});
    }
    return document;
}

Result<ForeignSteps> inspect_foreign(const app::Framework& framework, const generate::ForeignCode& code) {
    MM_TRY(generate::GeneratedCode adopted, adopt::adopt(code));
    ForeignSteps steps{code, std::move(adopted), {}};
    for (const generate::EntryCall& call : steps.adopted.calls) {
        steps.operators.push_back(operator_of(framework, code, call.function));
    }
    return steps;
}

namespace {

// The generator's, then those of adoption.
std::vector<std::string> notes_of(const ForeignSteps& steps) {
    std::vector<std::string> notes = steps.code.notes;
    notes.insert(notes.end(), steps.adopted.adopted->notes.begin(), steps.adopted.adopted->notes.end());
    return notes;
}

}  // namespace

std::string text_of(const ForeignSteps& steps) {
    std::size_t width = 4;
    for (const generate::EntryCall& call : steps.adopted.calls) {
        width = std::max(width, call.function.size());
    }
    std::string text = fmt::format("{}, entry {}: {} steps\n\n{:>5}  {:<{}}  {}\n", steps.code.generator,
                                   steps.code.entry, steps.adopted.calls.size(), "layer", "step", width, "operator");
    for (std::size_t i = 0; i < steps.adopted.calls.size(); ++i) {
        const std::string& known = steps.operators[i];
        text +=
            fmt::format("{:>5}  {:<{}}  {}\n", i, steps.adopted.calls[i].function, width, known.empty() ? "-" : known);
    }
    const std::vector<std::string> notes = notes_of(steps);
    for (const std::string& note : notes) {
        text += fmt::format("\nnote: {}", note);
    }
    return text + (notes.empty() ? "" : "\n");
}

ordered_json json_of(const ForeignSteps& steps) {
    ordered_json document{{"schema", "metamorph-steps-1"},
                          {"generator", steps.code.generator},
                          {"entry", steps.code.entry},
                          {"steps", ordered_json::array()}};
    for (std::size_t i = 0; i < steps.adopted.calls.size(); ++i) {
        document["steps"].push_back(
            {{"layer", i}, {"function", steps.adopted.calls[i].function}, {"operator", steps.operators[i]}});
    }
    document["notes"] = notes_of(steps);
    return document;
}

ordered_json json_of(const generate::ForeignCode& code) {
    static const std::vector<const char*> k_roles{"input", "output", "arena", "constant", "null"};
    ordered_json files = ordered_json::array(), parameters = ordered_json::array();
    for (const auto& [path, contents] : code.files) {
        files.push_back(path);
    }
    for (const generate::ForeignParameter& parameter : code.parameters) {
        ordered_json entry{{"name", parameter.name}, {"role", k_roles[static_cast<std::size_t>(parameter.role)]}};
        entry["bytes"] = parameter.bytes ? ordered_json(*parameter.bytes) : ordered_json();
        if (parameter.role == generate::ForeignParameter::Role::constant) {
            entry["value"] = parameter.value;
        }
        parameters.push_back(std::move(entry));
    }
    return {{"schema", "metamorph-generate-1"},
            {"generator", code.generator},
            {"prefix", code.prefix},
            {"entry", code.entry},
            {"files", files},
            {"sources", code.sources},
            {"include_dirs", code.include_dirs},
            {"defines", code.defines},
            {"parameters", parameters},
            {"notes", code.notes}};
}

}  // namespace metamorph::pipeline

// What is known of generators, for readers and for programs. Schemas: docs/command-line.md.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/framework.h"
#include "generate/driver/driver.h"
#include "generate/generator.h"
#include "util/result.h"

namespace metamorph::pipeline {

struct FrameworkStatus {
    app::Framework framework;
    generate::Installation installation;
};
Result<FrameworkStatus> status_of(const app::Framework& framework);
std::string text_of(const FrameworkStatus& status);
nlohmann::ordered_json json_of(const FrameworkStatus& status);  // "metamorph-framework-1"

// All that find_framework knows by name.
Result<std::vector<FrameworkStatus>> list_frameworks();
std::string list_text(const std::vector<FrameworkStatus>& all);
nlohmann::ordered_json list_json(const std::vector<FrameworkStatus>& all);  // "metamorph-frameworks-1"

struct ShownCommands {
    std::string framework;
    bool is_installed = false;
    std::vector<generate::GeneratorCommand> commands;
};
// What would be run for this model. Errors: as of generate::plan_commands.
Result<ShownCommands> commands_for(const app::Framework& framework, const generate::DriverRequest& request);
nlohmann::ordered_json json_of(const ShownCommands& shown);  // "metamorph-command-1"

// What is woven of another generator's code: the statements of its entry, as --tasks counts them.
struct ForeignSteps {
    generate::ForeignCode code;
    generate::GeneratedCode adopted;
    std::vector<std::string> operators;  // of the model, a step each; empty where it is not known
};
// Errors: as of adopt::adopt.
Result<ForeignSteps> inspect_foreign(const app::Framework& framework, const generate::ForeignCode& code);
std::string text_of(const ForeignSteps& steps);
nlohmann::ordered_json json_of(const ForeignSteps& steps);  // "metamorph-steps-1"

nlohmann::ordered_json json_of(const generate::ForeignCode& code);  // "metamorph-generate-1"

}  // namespace metamorph::pipeline

#include "matrix/run_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::matrix {
namespace {

using nlohmann::ordered_json;
using project::Axis;

// Measured with the public models (docs/matrix.md), and rounded up.
constexpr std::int64_t k_weave_mib = 400, k_compiler_mib = 150, k_verify_mib = 250, k_emulator_mib = 100;
constexpr int k_slots_max = 64;

const std::string& at(const RunPlan& plan, Axis axis) {
    return plan.values[static_cast<std::size_t>(axis)];
}

std::string build_folder(const RunPlan& plan) {
    return "proof/" + plan.device_name() + "-build";
}

Stage weave_stage(const RunPlan& plan, const RunSettings& settings) {
    StageCommand weave;
    if (!settings.frameworks.empty()) {
        weave.environment = {{"METAMORPH_FRAMEWORKS", settings.frameworks}};
    }
    weave.argv = {k_self, "weave", "inputs/" + plan.model, "-o", "woven", "--tasks", at(plan, Axis::tasks)};
    if (!plan.is_host()) {
        weave.argv.insert(weave.argv.end(), {"--device", at(plan, Axis::device)});
    }
    if (plan.generator != "native") {
        weave.argv.insert(weave.argv.end(), {"--generator", plan.generator});
    }
    for (const auto& [name, value] : plan.options) {
        weave.argv.insert(weave.argv.end(), {"--option", name + "=" + value});
    }
    weave.argv.push_back("--json");
    weave.output = "logs/weave.json";
    weave.log = "logs/weave.log";
    // Alone it is one thread; a library that has to be built takes as many compilers as there are slots.
    const StageCost alone{1, k_weave_mib, 0, ""},
        with_compilers{k_slots_max, k_weave_mib, k_compiler_mib, fmt::format("{}", fmt::join(plan.libraries, " "))};
    return {"weave", {weave}, {"woven"}, plan.libraries.empty() ? alone : with_compilers};
}

// As `metamorph verify` would; it finds the build ready. GNU ld writes a map beside each program.
Stage build_stage(const RunPlan& plan) {
    StageCommand configure, build;
    configure.argv = {"cmake",
                      "-G",
                      "Ninja",
                      "-S",
                      "woven",
                      "-B",
                      build_folder(plan),
                      fmt::format("-DCMAKE_TOOLCHAIN_FILE=device/{}.cmake", at(plan, Axis::toolchain))};
    if (at(plan, Axis::toolchain) == "gcc") {
        configure.environment = {{"LDFLAGS", "-Wl,-Map=%.map"}};
    }
    build.argv = {"cmake", "--build", build_folder(plan)};
    build.takes_jobs = true;
    configure.log = "logs/configure.log";
    build.log = "logs/build.log";
    return {"build", {configure, build}, {"proof"}, {k_slots_max, k_compiler_mib, k_compiler_mib, ""}};
}

void add_inputs(const RunPlan& plan, const RunSettings& settings, std::vector<std::string>& argv) {
    argv.insert(argv.end(), {"--inferences", std::to_string(settings.inferences)});
    if (plan.inputs.empty()) {
        argv.insert(argv.end(), {"--seed", std::to_string(settings.seed)});
    } else {
        argv.insert(argv.end(), {"--inputs", "inputs/" + plan.inputs});
    }
    argv.push_back("--json");
}

Stage verify_stage(const RunPlan& plan, const RunSettings& settings) {
    StageCommand verify;
    verify.argv = {k_self, "verify", "woven", "--toolchain", at(plan, Axis::toolchain), "--keep", "proof"};
    if (settings.depth > 0) {
        verify.argv.insert(verify.argv.end(), {"--depth", std::to_string(settings.depth)});
    }
    add_inputs(plan, settings, verify.argv);
    verify.takes_jobs = true;
    verify.output = "logs/verify.json";
    verify.log = "logs/verify.log";
    return {"verify", {verify}, {}, {k_slots_max, k_verify_mib, k_emulator_mib, ""}};
}

Stage run_stage(const RunPlan& plan, const RunSettings& settings) {
    StageCommand run;
    run.argv = {k_self, "run", "woven", "--keep", "proof"};
    add_inputs(plan, settings, run.argv);
    run.takes_jobs = true;
    run.output = "logs/run.json";
    run.log = "logs/run.log";
    return {"run", {run}, {"proof"}, {k_slots_max, k_compiler_mib, k_compiler_mib, ""}};
}

}  // namespace

std::vector<Stage> stages_of(const RunPlan& plan, const RunSettings& settings) {
    if (plan.is_host()) {
        return {weave_stage(plan, settings), run_stage(plan, settings)};
    }
    return {weave_stage(plan, settings), build_stage(plan), verify_stage(plan, settings)};
}

std::string repeat_script(const RunPlan& plan, const RunSettings& settings, const std::string& program) {
    std::string text = fmt::format(
        "#!/bin/sh\n# Does the run {} again, by hand: everything that it needs is in this folder.\nset -eu\n"
        "cd \"$(dirname \"$0\")\"\nmetamorph=${{METAMORPH:-{}}}\nmkdir -p logs\n",
        plan.name, quoted({program}));
    for (const Stage& stage : stages_of(plan, settings)) {
        text += fmt::format("\n# {}\n", stage.name);
        for (const std::string& folder : stage.makes) {
            text += fmt::format("rm -rf {}\n", quoted({folder}));
        }
        for (const StageCommand& command : stage.commands) {
            for (const auto& [name, value] : command.environment) {
                text += fmt::format("{}={} ", name, quoted({value}));
            }
            const bool is_ours = command.argv.front() == k_self;
            const std::vector<std::string> words(command.argv.begin() + (is_ours ? 1 : 0), command.argv.end());
            text += fmt::format("{}{}{}\n", is_ours ? "\"$metamorph\" " : "", quoted(words),
                                command.output.empty() ? "" : " > " + quoted({command.output}));
        }
    }
    return text;
}

std::filesystem::path elf_of(const RunPlan& plan, const std::string& target) {
    return plan.is_host() ? std::filesystem::path("proof/mapped-work/build") / target
                          : std::filesystem::path(build_folder(plan)) / target;
}

ordered_json json_of(const RunPlan& plan) {
    ordered_json json{{"name", plan.name}};
    for (std::size_t i = 0; i < project::k_axes; ++i) {
        json[project::axis_names()[i]] = plan.values[i];
    }
    json["skipped"] = plan.skipped;
    json["model_file"] = plan.model;
    json["inputs"] = plan.inputs;
    json["expected"] = plan.expected;
    json["expected_float"] = plan.is_expected_float;
    json["tolerance"] = plan.tolerance;
    json["program"] = plan.generator;
    json["generator_version"] = plan.generator_version;
    json["libraries"] = plan.libraries;
    json["options"] = ordered_json::array();
    for (const auto& [name, value] : plan.options) {
        json["options"].push_back({name, value});
    }
    return json;
}

RunPlan plan_of(const ordered_json& json) {
    RunPlan plan;
    plan.name = json.at("name");
    for (std::size_t i = 0; i < project::k_axes; ++i) {
        plan.values[i] = json.at(project::axis_names()[i]);
    }
    plan.skipped = json.at("skipped");
    plan.model = json.at("model_file");
    plan.inputs = json.at("inputs");
    plan.expected = json.at("expected");
    plan.is_expected_float = json.at("expected_float");
    plan.tolerance = json.at("tolerance");
    plan.generator = json.at("program");
    plan.generator_version = json.at("generator_version");
    plan.libraries = json.at("libraries").get<std::vector<std::string>>();
    for (const ordered_json& option : json.at("options")) {
        plan.options.emplace_back(option.at(0), option.at(1));
    }
    return plan;
}

}  // namespace metamorph::matrix

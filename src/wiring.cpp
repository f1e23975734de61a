#include "wiring.h"

#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/framework.h"
#include "pipeline/inspect.h"
#include "pipeline/pipeline.h"
#include "pipeline/process_libraries.h"
#include "pipeline/project_folder.h"
#include "pipeline/run.h"
#include "pipeline/verify.h"
#include "wiring_ai8x.h"
#include "wiring_compare.h"
#include "wiring_frameworks.h"
#include "wiring_libraries.h"
#include "wiring_matrix.h"
#include "wiring_output.h"

namespace metamorph::cli {
namespace {

using nlohmann::ordered_json;

tasks::NvmMode mode_of(Nvm nvm) {
    return nvm == Nvm::bus ? tasks::NvmMode::bus : tasks::NvmMode::mapped;
}

Result<std::vector<tasks::SliceRequest>> slices_of(const std::vector<std::string>& texts) {
    std::vector<tasks::SliceRequest> requests;
    for (const std::string& text : texts) {
        MM_TRY(tasks::SliceRequest request, tasks::parse_slice(text));
        requests.push_back(std::move(request));
    }
    return requests;
}

pipeline::Dump dump_of(const std::optional<Stage>& wanted) {
    if (!wanted) {
        return {};
    }
    return [stage = *wanted](pipeline::Stage reached, const std::string& text) {
        if (static_cast<int>(reached) == static_cast<int>(stage)) {
            print(text);
        }
    };
}

Result<int> run_inspect(const InspectOptions& options) {
    if (!options.generator.is_native()) {
        return run_foreign_inspect(options);
    }
    MM_TRY(const pipeline::Inspection inspection, pipeline::inspect(options.model));
    options.json ? print(pipeline::json_of(inspection)) : print(pipeline::text_of(inspection));
    return 0;
}

Result<int> run_generate(const GenerateOptions& options) {
    if (!options.generator.is_native()) {
        return run_foreign_generate(options);
    }
    MM_TRY(const pipeline::Model model, pipeline::import_model(options.model));
    MM_TRY(const generate::GeneratedCode code, pipeline::generate_code(model, options.prefix));
    MM_TRY(const pipeline::WriteCounts counts, pipeline::write_project(options.output, code.files));
    if (options.json) {
        ordered_json files = ordered_json::array();
        for (const auto& [path, contents] : code.files) {
            files.push_back(path);
        }
        print(ordered_json{{"schema", "metamorph-generate-1"},
                           {"folder", options.output.string()},
                           {"prefix", code.prefix},
                           {"entry", code.entry},
                           {"arena_bytes", code.arena_bytes},
                           {"files", files},
                           {"written", counts.written},
                           {"unchanged", counts.unchanged},
                           {"removed", counts.removed}});
    } else if (!options.quiet) {
        print(fmt::format("{}: {} files, {} written; entry {}, arena {} B\n", options.output.string(),
                          code.files.size(), counts.written, code.entry, code.arena_bytes));
    }
    return 0;
}

Result<int> run_weave(const WeaveOptions& options) {
    MM_TRY(const tasks::Split split, tasks::parse_split(options.tasks));
    pipeline::WeaveRequest request{options.model, options.prefix, split, mode_of(options.nvm),
                                   dump_of(options.dump_after)};
    MM_TRY(request.slices, slices_of(options.slices));
    std::optional<app::Device> device;
    if (!options.device.empty()) {
        MM_TRY(device, app::find_device(options.device));
        if (!device->is_host()) {
            request.device = &*device;
            request.mode = device->attachment == app::Attachment::mapped ? tasks::NvmMode::mapped : tasks::NvmMode::bus;
        }
    }
    request.generator_options = command_options(options.generator);
    MM_TRY(const auto parts, merged_parts(options.generator, options.model, options.prefix, split, options));
    MM_TRY(const auto foreign, parts ? Result<std::optional<generate::ForeignCode>>(std::nullopt)
                                     : foreign_code(options.generator, options.model, options.prefix, options));
    MM_TRY(const pipeline::Woven woven, parts     ? pipeline::weave_parts(*parts, request)
                                        : foreign ? pipeline::weave_foreign(*foreign, request)
                                                  : pipeline::weave_model(request));
    MM_TRY(const pipeline::WriteCounts counts, pipeline::write_project(options.output, woven.project.files));
    if (options.json) {
        ordered_json json = ordered_json::parse(woven.project.files.at("weave.json"));
        json["folder"] = options.output.string();
        json["written"] = counts.written;
        if (foreign) {
            json["notes"] = foreign->notes;
            for (const std::string& note : woven.code.adopted->notes) {
                json["notes"].push_back(note);
            }
        } else if (parts) {
            json["notes"] = parts->code.adopted->notes;
        }
        if (options.explain) {
            json["explanation"] = woven.explanation;
        }
        json["libraries"] = pipeline::given_libraries_json();
        print(json);
        return 0;
    }
    if (options.explain) {
        print(woven.explanation + "\n");
    }
    if (!options.quiet) {
        for (const std::string& note : foreign ? woven.code.adopted->notes : std::vector<std::string>{}) {
            print(fmt::format("note: {}\n", note));
        }
        print(
            fmt::format("{0}: {1} tasks, {2} B of NVM, {3} B cross task boundaries; {4} files written\n"
                        "build it with: cmake -S {0} -B {0}/build{5} && cmake --build {0}/build\n",
                        options.output.string(), woven.plan->tasks.size(), woven.plan->nvm_bytes,
                        woven.plan->crossing_bytes, counts.written,
                        request.device == nullptr
                            ? ""
                            : fmt::format(" -DCMAKE_TOOLCHAIN_FILE=device/{}.cmake", device->compilers.front().name)));
    }
    return 0;
}

std::optional<std::uint64_t> limit_of(const Cuts& cuts) {
    switch (cuts.kind) {
        case Cuts::Kind::every:
            return {};
        case Cuts::Kind::none:
            return 0;
        case Cuts::Kind::some:
            break;
    }
    return cuts.count;
}

pipeline::RunRequest run_request(const RunOptions& options, const tasks::Split& split) {
    pipeline::RunRequest request;
    request.model = options.model;
    request.is_woven = options.is_woven;
    request.prefix = options.prefix;
    request.split = split;
    request.modes = options.nvm == Nvm::both ? std::vector{tasks::NvmMode::mapped, tasks::NvmMode::bus}
                                             : std::vector{mode_of(options.nvm)};
    request.inferences = options.inferences;
    request.inputs = options.inputs;
    request.dataset = options.dataset;
    request.seed = options.seed.value_or(k_default_seed);
    request.cuts = options.cuts.kind != Cuts::Kind::none || !options.replay.empty();
    request.cuts_max = limit_of(options.cuts);
    request.budget_seconds = options.cut_budget_seconds;
    request.second_max = limit_of(options.second_cuts);
    request.replay = options.replay;
    request.jobs = options.jobs;
    request.keep = options.keep;
    request.explain = options.explain;
    request.dump = dump_of(options.dump_after);
    return request;
}

Result<int> run_run(const RunOptions& options) {
    MM_TRY(const tasks::Split split, tasks::parse_split(options.tasks));
    pipeline::RunRequest request = run_request(options, split);
    MM_TRY(request.slices, slices_of(options.slices));
    Shown shown(!options.quiet && !options.json);
    request.progress = shown.door();
    MM_TRY(const auto parts, merged_parts(options.generator, options.model, options.prefix, split, options));
    request.parts = parts ? &*parts : nullptr;
    MM_TRY(const auto foreign, parts ? Result<std::optional<generate::ForeignCode>>(std::nullopt)
                                     : foreign_code(options.generator, options.model, options.prefix, options));
    request.foreign = foreign ? &*foreign : nullptr;
    request.generator_options = command_options(options.generator);
    MM_TRY(const report::RunResult result, pipeline::run(request));
    shown.finish();
    options.json ? print(report::json_of(result)) : print(report::text_of(result));
    return result.is_right() ? 0 : static_cast<int>(ErrorCode::check_failed);
}

Result<std::vector<app::Device>> find_devices(const std::vector<std::string>& names) {
    std::vector<app::Device> devices;
    for (const std::string& name : names.empty() ? app::device_names() : names) {
        MM_TRY(app::Device device, app::find_device(name));
        if (!device.is_host()) {
            devices.push_back(std::move(device));
        } else if (!names.empty()) {
            return fail_with_hint(ErrorCode::options, "--device",
                                  fmt::format("'{}' is this machine, which no emulator stands for", name),
                                  "'metamorph run' cuts the power of a program here");
        }
    }
    return devices;
}

Result<int> run_verify(const VerifyOptions& options) {
    pipeline::VerifyRequest request;
    MM_TRY(request.split, tasks::parse_split(options.tasks));
    MM_TRY(request.slices, slices_of(options.slices));
    if (!options.is_woven) {
        MM_TRY(request.devices, find_devices(options.devices));
    }
    request.model = options.model;
    request.is_woven = options.is_woven;
    request.toolchain = options.toolchain;
    request.prefix = options.prefix;
    request.inferences = options.inferences;
    request.inputs = options.inputs;
    request.seed = options.seed.value_or(k_default_seed);
    request.depth = options.depth;
    request.merges = options.merges;
    request.cuts_max = options.cuts_max;
    request.replay = options.replay;
    request.gdb = options.gdb;
    request.jobs = options.jobs;
    request.keep = options.keep;
    request.explain = options.explain;
    Shown shown(!options.quiet && !options.json);
    request.progress = shown.door();
    request.resume = options.resume;
    const std::filesystem::path folder = options.keep.empty() ? std::filesystem::path(".") : options.keep;
    request.state = options.resume.empty() ? folder / "metamorph-verify.state" : options.resume;
    request.on_interrupt = [&shown](const Error& told) {
        shown.finish();
        std::fputs((describe(told) + "\n").c_str(), stderr);
    };
    MM_TRY(const auto foreign, foreign_code(options.generator, options.model, options.prefix, options));
    request.foreign = foreign ? &*foreign : nullptr;
    request.generator_options = command_options(options.generator);
    MM_TRY(const report::VerifyResult result, pipeline::verify(request));
    shown.finish();
    options.json ? print(report::json_of(result)) : print(report::text_of(result));
    return result.is_right() ? 0 : static_cast<int>(ErrorCode::check_failed);
}

Result<int> run_devices(const DevicesOptions& options) {
    if (options.device) {
        MM_TRY(const app::Device device, app::find_device(*options.device, "DEVICE"));
        print(options.json ? app::to_json(device) : app::print(device));
        return 0;
    }
    std::vector<app::Device> devices;
    std::string names;
    for (const std::string& name : app::device_names()) {
        MM_TRY(app::Device device, app::find_device(name));
        devices.push_back(std::move(device));
        names += name + "\n";
    }
    print(options.json ? app::list_to_json(devices) : options.quiet ? names : app::print_list(devices));
    return 0;
}

}  // namespace

Commands real_commands() {
    Commands commands;
    commands.inspect = run_inspect;
    commands.generate = run_generate;
    commands.weave = run_weave;
    commands.run = run_run;
    commands.verify = run_verify;
    commands.compare = run_compare;
    commands.devices = run_devices;
    commands.libs = run_libs;
    commands.init = run_init;
    commands.matrix = run_matrix;
    commands.report = run_report;
    commands.why = run_why;
    commands.doctor = run_doctor;
    commands.frameworks = run_frameworks;
    commands.device_names = app::device_names();
    commands.framework_names = app::framework_names();
    return commands;
}

}  // namespace metamorph::cli

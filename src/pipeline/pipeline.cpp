#include "pipeline/pipeline.h"

#include <algorithm>

#include <fmt/format.h>

#include "adopt/adopt.h"
#include "build/command_runner.h"
#include "cfront/print.h"
#include "generate/driver/opaque_archive.h"
#include "generate/generator.h"
#include "generate/slices.h"
#include "import/import.h"
#include "pipeline/device_target.h"
#include "pipeline/project_folder.h"
#include "tasks/recompute.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/interrupt.h"
#include "util/text.h"
#include "weave/device_fit.h"

namespace metamorph::pipeline {
namespace {

constexpr std::int64_t k_model_bytes_max = 512LL << 20;

std::string prefix_option(const std::string& prefix) {
    return prefix.empty() ? "" : fmt::format(" --prefix {}", prefix);
}

std::vector<tasks::Role> roles_of(const generate::GeneratedCode& code) {
    std::vector<tasks::Role> roles;
    for (const generate::EntryParameter& parameter : code.parameters) {
        using From = generate::EntryParameter::Role;
        roles.push_back(parameter.role == From::input    ? tasks::Role::input
                        : parameter.role == From::output ? tasks::Role::output
                                                         : tasks::Role::arena);
    }
    return roles;
}

std::string print_generated(const generate::GeneratedCode& code) {
    std::string text = fmt::format("entry {}\narena {} bytes\n", code.entry, code.arena_bytes);
    for (const auto& [path, contents] : code.files) {
        text += fmt::format("{:>8} {}\n", contents.size(), path);
    }
    return text;
}

void dump(const WeaveRequest& request, Stage stage, const std::function<std::string()>& text) {
    if (request.dump) {
        request.dump(stage, text());
    }
}

// The generator's files, and how they are compiled.
void add_code(const generate::GeneratedCode& code, weave::WeaveInput& input) {
    for (const auto& [path, contents] : code.files) {
        input.files["generated/" + path] = contents;
    }
    if (!code.adopted) {
        for (const std::string& source : code.sources) {
            input.app_sources.push_back("generated/" + source);
        }
        input.plain_sources = input.app_sources;
        input.include_dirs = {"generated/" + code.include_dir};
        return;
    }
    const generate::AdoptedCode& adopted = *code.adopted;
    for (const auto& [path, contents] : adopted.files) {
        input.files["adopted/" + path] = contents;
    }
    input.app_sources = adopted.app_sources;
    input.plain_sources = adopted.plain_sources;
    input.archives = adopted.archives;
    input.include_dirs = adopted.include_dirs;
    input.plain_include_dirs = adopted.plain_include_dirs;
    input.defines = adopted.defines;
    input.plain_entry = adopted.plain_entry;
    input.plain_parameters = adopted.plain_parameters;
    input.notes = adopted.notes;
    input.needs_math = true;
}

weave::WeaveInput weave_input(const Woven& woven, const WeaveRequest& request) {
    weave::WeaveInput input;
    input.chain = woven.chain.get();
    input.plan = woven.plan.get();
    input.prefix = woven.code.prefix;
    add_code(woven.code, input);
    input.declarations_header = woven.code.layers_header;
    input.model_file = woven.model.file_name;
    input.model_sha256 = woven.model.sha256;
    input.split = tasks::print(request.split);
    input.device = request.device;
    for (const tasks::SliceRequest& slice : request.slices) {
        input.slices.push_back(tasks::print(slice));
    }
    input.command = fmt::format("metamorph weave {} -o DIR{} --tasks {}{} {}{}", woven.model.file_name,
                                request.generator_options, input.split, weave::slice_options(input),
                                weave::target_option(input), prefix_option(request.prefix));
    return input;
}

}  // namespace

Result<Model> import_model(const std::filesystem::path& path) {
    MM_TRY(graph::Graph graph, import::import_file(path));
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_model_bytes_max));
    // The name goes into comments of generated C and into JSON: a line feed in it would end the comment.
    return Model{std::move(graph), printable(path.filename().string()), sha256_hex(bytes)};
}

Result<generate::GeneratedCode> generate_code(const Model& model, const std::string& prefix) {
    return generate::generate_native(
        model.graph, {prefix, model.sha256, model.file_name,
                      fmt::format("metamorph generate {} -o DIR{}", model.file_name, prefix_option(prefix))});
}

Result<std::vector<int>> choose_slices(const generate::GeneratedCode& code,
                                       const std::vector<tasks::SliceRequest>& requests) {
    std::vector<tasks::SliceableLayer> layers;
    for (const generate::EntryCall& call : code.calls) {
        const auto& loop = call.outer_loop;
        layers.push_back({call.function.substr(code.prefix.size() + 1), call.function, loop ? loop->rounds : 0,
                          generate::rounds_of_whole_blocks(call), loop ? loop->unit : "", call.why_no_slices,
                          call.output_bytes, call.macs});
    }
    return tasks::choose_slices(requests, layers);
}

Result<cfront::CodeModel> read_code(const generate::GeneratedCode& code, const std::vector<int>& slices,
                                    const cfront::Target& target) {
    MM_TRY(const ScratchFolder scratch, ScratchFolder::make("metamorph-cfront"));
    std::map<std::string, std::string> files = code.files;
    if (!slices.empty() && !code.adopted) {
        files.at(code.entry_source) = generate::sliced_entry(code, slices);
    }
    cfront::FrontEndInput input;
    input.root = scratch.path();
    input.sources = code.sources;
    input.include_dirs = {code.include_dir};
    input.entry = code.entry;
    if (code.adopted) {
        MM_CHECK(write_files(scratch.path() / "generated", files));
        std::map<std::string, std::string> adopted = code.adopted->files;
        if (!slices.empty()) {
            adopted.at(code.entry_source) = generate::sliced_entry(code, slices);
        }
        MM_CHECK(write_files(scratch.path() / "adopted", adopted));
        input.sources = code.adopted->app_sources;
        input.sources.insert(input.sources.end(), code.adopted->stand_ins.begin(), code.adopted->stand_ins.end());
        input.include_dirs = code.adopted->include_dirs;
        input.defines = code.adopted->defines;
        input.target = target;
    } else {
        MM_CHECK(write_files(scratch.path(), files));
    }
    return cfront::analyse(input);
}

namespace {

// What is not C, for the target. A device's gcc makes it, whichever compiler the rest of the project is built with.
Status add_archive(const generate::ForeignCode& code, const WeaveRequest& request, generate::GeneratedCode& woven) {
    std::string compiler = "gcc";
    std::vector<std::string> flags;
    if (request.device != nullptr) {
        const app::Compiler* gcc = request.device->compiler("gcc");
        if (gcc == nullptr) {
            return fail_with_hint(
                ErrorCode::options, request.device->name,
                fmt::format("{} has parts that are not C, and this device names no gcc", code.generator),
                "describe it in [build.gcc] of the device");
        }
        compiler = gcc->program;
        flags = gcc->flags;
    }
    MM_TRY(woven.files[code.opaque->archive], generate::build_archive(code, request.device, compiler, flags));
    woven.adopted->archives = {"generated/" + code.opaque->archive};
    return {};
}

// What a device lacks that a host has.
Status check_device(const generate::AdoptedCode& adopted, const tasks::Chain& chain, const app::Device& device) {
    if (!adopted.allocates.empty()) {
        return fail_with_hint(
            ErrorCode::model, adopted.allocates,
            fmt::format("it allocates memory in a way that is not known before it runs, and {} has no heap",
                        device.name),
            "give it static storage");
    }
    return weave::check_plain_stack(chain, adopted.plain_parameters, adopted.plain_stack_bytes, device);
}

// From the chain on.
Result<Woven> weave_chain(Woven woven, tasks::Chain chain, const WeaveRequest& request,
                          const generate::ForeignCode* foreign = nullptr) {
    woven.chain = std::make_unique<tasks::Chain>(std::move(chain));
    std::int64_t sram_bytes_max = request.sram_bytes_max, write_unit_bytes = 1;
    if (request.device != nullptr) {
        if (woven.code.adopted) {
            MM_CHECK(check_device(*woven.code.adopted, *woven.chain, *request.device));
        }
        sram_bytes_max = std::min(sram_bytes_max, weave::sram_for_images(*woven.chain, *request.device));
        write_unit_bytes = static_cast<std::int64_t>(request.device->memory(app::MemoryKind::nvm).write_unit_bytes);
    }
    MM_TRY(tasks::TaskPlan plan, tasks::plan_tasks(*woven.chain, request.mode, sram_bytes_max, write_unit_bytes));
    woven.plan = std::make_unique<tasks::TaskPlan>(std::move(plan));

    if (foreign != nullptr && foreign->opaque) {
        if (request.device != nullptr) {  // what does not fit need not be built
            MM_CHECK(weave::check_fits(*woven.chain, *woven.plan, *request.device));
        }
        MM_CHECK(add_archive(*foreign, request, woven.code));
    }
    const weave::WeaveInput input = weave_input(woven, request);
    woven.explanation = weave::explain(input);
    dump(request, Stage::tasks, [&] { return woven.explanation; });
    MM_TRY(woven.project, weave::weave(input));
    dump(request, Stage::weave, [&] { return woven.project.files.at("weave.json"); });
    return woven;
}

// From the generated code on.
Result<Woven> weave_code(Woven woven, const WeaveRequest& request, const generate::ForeignCode* foreign = nullptr,
                         const cfront::Target& target = {}) {
    dump(request, Stage::generate, [&] { return print_generated(woven.code); });

    MM_TRY(const std::vector<int> slices, choose_slices(woven.code, request.slices));
    MM_TRY(cfront::CodeModel code_model, read_code(woven.code, slices, target));
    woven.code_model = std::make_unique<cfront::CodeModel>(std::move(code_model));
    dump(request, Stage::cfront, [&] { return cfront::print(*woven.code_model); });

    const std::vector<tasks::Role> roles = roles_of(woven.code);
    MM_CHECK(tasks::check_slices(*woven.code_model, slices));
    MM_TRY(const std::vector<int> layers,
           tasks::layers_per_task(request.split, static_cast<int>(slices.size()),
                                  tasks::behind_layers(tasks::boundary_bytes(*woven.code_model, roles), slices)));
    MM_TRY(tasks::Chain chain, tasks::make_chain(*woven.code_model, roles, tasks::steps_per_task(layers, slices)));
    tasks::mark_slices(chain, slices);
    return weave_chain(std::move(woven), tasks::recompute_constants(chain), request, foreign);
}

std::string all_files(const std::map<std::string, std::string>& files) {
    std::string all;
    for (const auto& [path, contents] : files) {
        all += fmt::format("{}\n{}\n{}\n", path, contents.size(), contents);
    }
    return all;
}

}  // namespace

Result<Woven> weave_model(const WeaveRequest& request) {
    Woven woven;
    MM_TRY(woven.model, import_model(request.model));
    dump(request, Stage::import, [&] { return graph::print(woven.model.graph); });
    MM_TRY(woven.code, generate_code(woven.model, request.prefix));
    return weave_code(std::move(woven), request);
}

Result<Woven> weave_foreign(const generate::ForeignCode& code, const WeaveRequest& request) {
    Woven woven;
    woven.model.file_name = printable(request.model.filename().string());
    woven.model.sha256 = sha256_hex(all_files(code.files));
    cfront::Target target;
    if (request.device != nullptr) {
        build::ProcessRunner runner;
        MM_TRY(target, target_of(*request.device, runner));
    }
    for (const tasks::SliceRequest& slice : request.slices) {
        if (slice.kind == tasks::SliceRequest::Kind::auto_macs) {
            return fail_with_hint(ErrorCode::options, "--slice",
                                  "multiply-accumulates of another generator's code are not counted",
                                  "say how many bytes of output a slice may make: --slice auto:4096B");
        }
    }
    const adopt::Slicing slicing = request.slices.empty() ? adopt::Slicing::none : adopt::Slicing::prepared;
    MM_TRY(woven.code, adopt::adopt(code, target, slicing));
    return weave_code(std::move(woven), request, &code, target);
}

Result<Woven> weave_parts(const parts::MergedCode& merged, const WeaveRequest& request) {
    if (!request.slices.empty()) {
        return fail_with_hint(ErrorCode::options, "--slice", "the accelerator does a part as a whole",
                              "make smaller parts instead: --tasks 1,2,1");
    }
    if (request.device != nullptr) {
        return fail_with_hint(ErrorCode::options, "--device",
                              fmt::format("{} has no accelerator as the MAX78000's", request.device->name),
                              "leave --device out: the project then runs here, against a stub of the accelerator");
    }
    Woven woven;
    woven.model.file_name = printable(request.model.filename().string());
    woven.model.sha256 = sha256_hex(all_files(merged.code.files));
    woven.code = merged.code;
    woven.code_model = std::make_unique<cfront::CodeModel>(merged.model);
    dump(request, Stage::generate, [&] { return print_generated(woven.code); });
    dump(request, Stage::cfront, [&] { return cfront::print(*woven.code_model); });
    // A task a part; what follows the accelerator belongs to the last.
    const int steps = static_cast<int>(merged.model.entry.steps.size());
    const int parts = static_cast<int>(merged.known_at_cut.size()) + 1;
    std::vector<int> layers(static_cast<std::size_t>(parts), 1);
    layers.back() += steps - parts;
    MM_TRY(tasks::Chain chain, tasks::make_chain(*woven.code_model, roles_of(woven.code), layers));
    return weave_chain(std::move(woven), std::move(chain), request);
}

}  // namespace metamorph::pipeline

// What surrounds the tasks: the plain program (the oracle), CMakeLists.txt, README.md and weave.json.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "weave/embedded_runtime.h"
#include "weave/writers.h"

namespace metamorph::weave {
namespace {

using nlohmann::ordered_json;

std::int64_t total_bytes(const WeaveInput& input, const std::vector<cfront::ObjectId>& objects) {
    std::int64_t sum = 0;
    for (cfront::ObjectId id : objects) {
        sum += *input.chain->object(id).bytes;
    }
    return sum;
}

ordered_json transfers(const WeaveInput& input, const std::vector<tasks::Transfer>& list) {
    ordered_json rows = ordered_json::array();
    for (const tasks::Transfer& t : list) {
        rows.push_back({{"object", input.chain->object(t.object).name},
                        {"offset", t.offset},
                        {"bytes", t.bytes},
                        {"home", t.home}});
    }
    return rows;
}

}  // namespace

const cfront::Object* object_of_parameter(const WeaveInput& input, int parameter) {
    for (const cfront::Object& object : input.chain->model->entry.objects) {
        if (object.kind == cfront::ObjectKind::entry_parameter && object.parameter == parameter) {
            return &object;
        }
    }
    return nullptr;
}

// Runtime files by their folder: {"runtime/src", ".c"} and the like.
std::string runtime_sources(std::string_view folder) {
    std::string list;
    for (const EmbeddedFile& file : embedded_runtime()) {
        if (file.path.substr(0, folder.size()) == folder && file.path.substr(file.path.size() - 2) == ".c") {
            list += fmt::format("\n  {}", file.path);
        }
    }
    return list;
}

std::string source_list(const std::vector<std::string>& sources) {
    std::string list;
    for (const std::string& source : sources) {
        list += "\n  " + source;
    }
    return list;
}

std::string include_list(const WeaveInput& input) {
    return fmt::format("{}", fmt::join(input.include_dirs, " "));
}

std::string plain_include_list(const WeaveInput& input) {
    return input.plain_include_dirs.empty() ? include_list(input)
                                            : fmt::format("{}", fmt::join(input.plain_include_dirs, " "));
}

std::string define_line(const WeaveInput& input, const std::string& target) {
    return input.defines.empty()
               ? ""
               : fmt::format("target_compile_definitions({} PRIVATE {})\n", target, fmt::join(input.defines, " "));
}

std::vector<std::string> libraries(const WeaveInput& input) {
    std::vector<std::string> list;
    for (const std::string& archive : input.archives) {
        list.push_back(fmt::format("\"${{CMAKE_SOURCE_DIR}}/{}\"", archive));
    }
    if (input.needs_math) {
        list.push_back("m");
    }
    return list;
}

bool has_own_oracle(const WeaveInput& input) {
    return input.app_sources != input.plain_sources;
}

int plain_parameters(const WeaveInput& input) {
    return input.plain_parameters < 0 ? static_cast<int>(input.chain->roles.size()) : input.plain_parameters;
}

Result<std::string> write_plain_main(const WeaveInput& input) {
    const cfront::CodeModel& model = *input.chain->model;
    const cfront::Function* entry = model.function(model.entry.function);
    if (entry == nullptr) {
        return fail(ErrorCode::internal, "", "the entry {} has no declaration", model.entry.function);
    }
    std::string buffers, parameters, arguments, reading, writing;
    for (std::size_t p = 0; p < static_cast<std::size_t>(plain_parameters(input)); ++p) {
        const cfront::Parameter& parameter = entry->parameters[p];
        const cfront::Object* object = object_of_parameter(input, static_cast<int>(p));
        if (object == nullptr || !object->bytes) {
            return fail(ErrorCode::model, model.entry.function,
                        "parameter '{}' of {} is not memory of a known extent: declare it as in 'int8_t {}[static 64]'",
                        parameter.name, model.entry.function, parameter.name);
        }
        buffers += fmt::format("static _Alignas({}) uint8_t buffer_{}[{}]; /* {} */\n", tasks::k_home_alignment, p,
                               *object->bytes, parameter.name);
        parameters += fmt::format("{}{} *{}", p == 0 ? "" : ", ", parameter.element_type, parameter.name);
        arguments += fmt::format("{}({} *)(void *)buffer_{}", p == 0 ? "" : ", ", parameter.element_type, p);
        switch (input.chain->roles[p]) {
            case tasks::Role::input:
                reading += fmt::format("{}fread(buffer_{}, sizeof buffer_{}, 1, stdin) == 1",
                                       reading.empty() ? "" : " && ", p, p);
                break;
            case tasks::Role::output:
                writing += fmt::format(
                    "        if (fwrite(buffer_{0}, sizeof buffer_{0}, 1, stdout) != 1) {{\n            return 1;\n    "
                    "    }}\n",
                    p);
                break;
            case tasks::Role::arena:
                break;
        }
    }
    std::string text =
        banner(input, fmt::format("The oracle: {} as it was generated, never interrupted. Reads inputs, one\n"
                                  " * inference after another, from standard input; writes outputs to standard output.",
                                  input.prefix));
    text += "#include <stdint.h>\n#include <stdio.h>\n\n";
    const std::string& name = input.plain_entry.empty() ? entry->name : input.plain_entry;
    text += fmt::format("{} {}({});\n\n{}\n", entry->return_type, name, parameters, buffers);
    text += fmt::format(
        "int main(void)\n{{\n    while ({}) {{\n        {}({});\n{}    }}\n    return fflush(stdout) != 0;\n}}\n",
        reading.empty() ? "!feof(stdin)" : reading, name, arguments, writing);
    return text;
}

std::string write_cmake(const WeaveInput& input) {
    const bool is_mapped = input.plan->mode == tasks::NvmMode::mapped;
    return fmt::format(
        R"cmake(# Woven by Metamorph {version}. Builds alone:  cmake -B build && cmake --build build
#   {prefix}_app    the application that survives power cuts, on a host whose NVM is a file
#   {prefix}_plain  the generated code as it is: the oracle
cmake_minimum_required(VERSION 3.16)
project({prefix}_app C)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # the host port calls POSIX

option(MM_TRACE_STORES "Make every store into mapped NVM a place where power can be cut (needs Clang)" OFF)
add_library(mm_flags INTERFACE)
# Loops stay loops: a library function that copies would hide its stores.
target_compile_options(mm_flags INTERFACE -Wall -Wextra -fno-builtin)
if(MM_TRACE_STORES AND NOT CMAKE_C_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "MM_TRACE_STORES needs Clang: give -DCMAKE_C_COMPILER=clang-19 in a fresh build folder")
endif()
if(MM_TRACE_STORES)
  target_compile_options(mm_flags INTERFACE -fsanitize-coverage=func,trace-stores)
endif()

add_library({prefix}_model STATIC{generated})
target_include_directories({prefix}_model PUBLIC {include_dirs})
{model_defines}target_link_libraries({prefix}_model PRIVATE mm_flags)

add_library(metamorph_runtime STATIC{runtime})
target_include_directories(metamorph_runtime PUBLIC runtime/include PRIVATE runtime/src)
target_link_libraries(metamorph_runtime PRIVATE mm_flags)
target_compile_definitions(metamorph_runtime PUBLIC {mode} MM_NVM_PAGE_BYTES=4096)

add_library({prefix}_tasks STATIC app/{prefix}_tasks.c app/{prefix}_tables.c)
target_include_directories({prefix}_tasks PUBLIC app)
target_link_libraries({prefix}_tasks PUBLIC metamorph_runtime PRIVATE mm_flags {prefix}_model)

add_executable({prefix}_app app/{prefix}_host.c{host})
target_include_directories({prefix}_app PRIVATE runtime/ports/host)
target_link_libraries({prefix}_app PRIVATE {prefix}_tasks {prefix}_model metamorph_runtime)

add_executable({prefix}_plain app/{prefix}_plain.c{plain})
target_include_directories({prefix}_plain PRIVATE {plain_include_dirs})
{plain_defines}{math})cmake",
        fmt::arg("version", METAMORPH_VERSION), fmt::arg("prefix", input.prefix),
        fmt::arg("generated", source_list(input.app_sources)), fmt::arg("plain", source_list(input.plain_sources)),
        fmt::arg("include_dirs", include_list(input)), fmt::arg("plain_include_dirs", plain_include_list(input)),
        fmt::arg("model_defines", define_line(input, input.prefix + "_model")),
        fmt::arg("plain_defines", define_line(input, input.prefix + "_plain")),
        fmt::arg("math", libraries(input).empty() ? ""
                                                  : fmt::format("target_link_libraries({0}_app PRIVATE {1})\n"
                                                                "target_link_libraries({0}_plain PRIVATE {1})\n",
                                                                input.prefix, fmt::join(libraries(input), " "))),
        fmt::arg("runtime", runtime_sources("runtime/src")), fmt::arg("host", runtime_sources("runtime/ports/host")),
        fmt::arg("mode", is_mapped ? "MM_PORT_MAPPED" : "MM_PORT_BUS"));
}

std::string write_readme(const WeaveInput& input) {
    return fmt::format(R"(# {0}: an application that survives power cuts

Woven by Metamorph {1} from `{2}` with `--tasks {3}{7} --nvm {4}`. Nothing of Metamorph is needed to build it:

    cmake -B build && cmake --build build
    build/{0}_plain < inputs.bin > expected.bin          # the generated code as it is
    build/{0}_app --nvm nvm.bin --inputs inputs.bin --outputs outputs.bin

`inputs.bin` holds {5} bytes an inference, `outputs.bin` gets {6}. `build/{0}_app` may be killed at any instant and
started again: it resumes.

| folder | what |
|---|---|
| `generated/` | the generator's C, unchanged |
| `app/` | tasks, tables of what each task fetches and commits, the application for `mm_run` |
| `runtime/` | the Metamorph runtime (C11) and its host port; for a device, replace `runtime/ports/host` by its port |
| `weave.json` | tasks, placement of every variable, bytes |

Licence of `runtime/`: Apache-2.0 WITH LLVM-exception (`runtime/LICENSE`).
)",
                       input.prefix, METAMORPH_VERSION, input.model_file, input.split,
                       input.plan->mode == tasks::NvmMode::mapped ? "mapped" : "bus",
                       total_bytes(input, input.chain->inputs), total_bytes(input, input.chain->outputs),
                       slice_options(input));
}

// [begin, end) of the bytes that are float32, all of `objects` one behind the other.
ordered_json float_ranges(const WeaveInput& input, const std::vector<cfront::ObjectId>& objects) {
    ordered_json ranges = ordered_json::array();
    std::int64_t at = 0;
    for (const cfront::ObjectId id : objects) {
        const cfront::Object& object = input.chain->object(id);
        if (object.element_type == "float" || object.element_type == "const float") {
            ranges.push_back({at, at + *object.bytes});
        }
        at += *object.bytes;
    }
    return ranges;
}

std::string write_summary(const WeaveInput& input, std::uint64_t build_id) {
    const tasks::TaskPlan& plan = *input.plan;
    ordered_json json;
    json["schema"] = "metamorph-weave-1";
    json["version"] = METAMORPH_VERSION;
    json["prefix"] = input.prefix;
    json["model_file"] = input.model_file;
    json["model_sha256"] = input.model_sha256;
    json["split"] = input.split;
    json["slices"] = input.slices;
    json["mode"] = plan.mode == tasks::NvmMode::mapped ? "mapped" : "bus";
    json["build_id"] = fmt::format("{:016x}", build_id);
    json["app_target"] = input.prefix + "_app";
    json["plain_target"] = input.prefix + "_plain";
    json["input_bytes"] = total_bytes(input, input.chain->inputs);
    json["input_floats"] = float_ranges(input, input.chain->inputs);
    json["output_bytes"] = total_bytes(input, input.chain->outputs);
    json["nvm_bytes"] = plan.nvm_bytes;
    json["crossing_bytes"] = plan.crossing_bytes;
    json["data_bytes_written"] = plan.data_bytes_written;
    json["commit_record_bytes"] = tasks::k_commit_record_bytes * input.chain->tasks();
    if (!input.notes.empty()) {
        json["adoption"] = input.notes;
    }
    json["tasks"] = ordered_json::array();
    for (int t = 0; t < input.chain->tasks(); ++t) {
        const tasks::PlannedTask& planned = plan.tasks[static_cast<std::size_t>(t)];
        ordered_json steps = ordered_json::array();
        for (int s = planned.first_step; s <= planned.last_step; ++s) {
            steps.push_back(input.chain->steps[static_cast<std::size_t>(s)].label());
        }
        json["tasks"].push_back({{"name", task_name(input, t)},
                                 {"function", task_function(input, t)},
                                 {"steps", steps},
                                 {"fetch", transfers(input, planned.fetch)},
                                 {"commit", transfers(input, planned.commit)}});
    }
    json["variables"] = ordered_json::array();
    for (const tasks::Variable& v : plan.variables) {
        json["variables"].push_back({{"object", input.chain->object(v.object).name},
                                     {"bytes", v.bytes.print()},
                                     {"placement", tasks::name_of(v.placement)},
                                     {"first_task", v.first_task},
                                     {"last_task", v.last_task},
                                     {"home", v.home},
                                     {"home_bytes", v.home < 0 ? 0 : v.bytes.end() - v.bytes.begin()},
                                     {"crossing_bytes", v.crossing_bytes},
                                     {"reason", v.reason}});
    }
    return json.dump(2) + "\n";
}

Result<WovenSummary> read_summary(const std::string& weave_json) {
    const ordered_json json = ordered_json::parse(weave_json, nullptr, false);
    if (json.is_discarded() || !json.is_object() || json.value("schema", "") != "metamorph-weave-1") {
        return fail_with_hint(ErrorCode::model, "weave.json", "this is not the weave.json of a woven project",
                              "weave the model again with 'metamorph weave'");
    }
    WovenSummary summary;
    try {
        summary = {
            json.at("prefix"),
            json.at("model_file"),
            json.at("model_sha256"),
            json.at("split"),
            json.at("mode"),
            json.at("app_target"),
            json.at("plain_target"),
            json.at("input_bytes"),
            json.at("output_bytes"),
            json.at("nvm_bytes"),
            json.at("crossing_bytes"),
            json.at("commit_record_bytes"),
            {},
            json.at("slices").get<std::vector<std::string>>(),
            {},
            {},
            json.value("input_floats", ordered_json::array()).get<std::vector<std::pair<std::int64_t, std::int64_t>>>(),
            json.value("adoption", std::vector<std::string>())};
        for (const auto& task : json.at("tasks")) {
            summary.task_names.push_back(task.at("name"));
            summary.is_slice.push_back(summary.task_names.back().find(" [") != std::string::npos);
        }
        for (const auto& variable : json.at("variables")) {
            if (const std::int64_t home = variable.at("home"); home >= 0) {
                summary.homes.push_back(
                    {home, variable.at("home_bytes"), variable.at("first_task"), variable.at("last_task")});
            }
        }
    } catch (const nlohmann::json::exception& damaged) {
        return fail_with_hint(ErrorCode::model, "weave.json", fmt::format("weave.json is damaged: {}", damaged.what()),
                              "weave the model again with 'metamorph weave'");
    }
    return summary;
}

}  // namespace metamorph::weave

// app/PREFIX_tables.c: what each task fetches and commits, NVM itself, and the application's description for the
// runtime.
#include <set>

#include <fmt/format.h>

#include "weave/writers.h"

namespace metamorph::weave {
namespace {

std::string address(const WeaveInput& input, const tasks::Transfer& t) {
    const cfront::Object& object = input.chain->object(t.object);
    if (object.kind == cfront::ObjectKind::variable) {
        return fmt::format("(uint8_t *)&{} + {}", object.name, t.offset);
    }
    return fmt::format("&{}[{}]", sram_name(input, t.object), t.offset);
}

std::string transfer_list(const WeaveInput& input, const std::string& name,
                          const std::vector<tasks::Transfer>& transfers) {
    if (transfers.empty()) {
        return "";
    }
    std::string text = fmt::format("static const mm_transfer_t {}[] = {{\n", name);
    for (const tasks::Transfer& t : transfers) {
        text +=
            fmt::format("    {{.home = {}u, .sram = {}, .bytes = {}u, .since = {}, .buffer = {}, .stride = {}u}},\n",
                        t.home, address(input, t), t.bytes, t.since < 0 ? "MM_FETCH_ALWAYS" : std::to_string(t.since),
                        t.buffer < 0 ? "MM_BUFFER_NONE" : fmt::format("{}u", t.buffer), t.stride);
    }
    return text + "};\n";
}

// Variables of the generated code that the tables name.
std::string variable_declarations(const WeaveInput& input) {
    std::set<cfront::ObjectId> named;
    for (const tasks::PlannedTask& task : input.plan->tasks) {
        for (const auto* list : {&task.fetch, &task.commit}) {
            for (const tasks::Transfer& t : *list) {
                named.insert(t.object);
            }
        }
    }
    std::string text;
    for (cfront::ObjectId id : named) {
        const cfront::Object& object = input.chain->object(id);
        if (object.kind == cfront::ObjectKind::variable) {
            const cfront::Variable& variable = input.chain->model->variables[static_cast<std::size_t>(object.variable)];
            // As bytes: its type may be one that only its own source declares.
            text += fmt::format("extern uint8_t {}[{}]; /* {}, {}:{} */\n", variable.name,
                                object.bytes ? std::to_string(*object.bytes) : "", variable.type,
                                variable.location.file, variable.location.line);
        }
    }
    return text.empty() ? text : text + "\n";
}

std::string task_row(const WeaveInput& input, int task) {
    const tasks::PlannedTask& planned = input.plan->tasks[static_cast<std::size_t>(task)];
    const auto list = [&](const char* kind, std::size_t count) {
        return count == 0 ? std::string("0") : fmt::format("{}_{:02}", kind, task);
    };
    return fmt::format(
        "    {{.run = {},\n     .fetch = {}, .commit = {}, .fetch_count = {}u, .commit_count = {}u, .flips = {:#x}u}}, "
        "/* {} */\n",
        task_function(input, task), list("fetch", planned.fetch.size()), list("commit", planned.commit.size()),
        planned.fetch.size(), planned.commit.size(), planned.flips, task_name(input, task));
}

}  // namespace

std::string write_tables(const WeaveInput& input, std::uint64_t build_id) {
    const tasks::TaskPlan& plan = *input.plan;
    std::string text = banner(input, fmt::format("What each task of {} fetches and commits.", input.prefix));
    text += fmt::format("#include \"{}_app.h\"\n#include \"metamorph/mm_port.h\"\n\n", input.prefix);
    text += fmt::format("_Static_assert({}_APP_NVM_BYTES >= {}u, \"the homes of all variables end there\");\n",
                        macro_prefix(input), plan.nvm_bytes);
    if (plan.mode == tasks::NvmMode::mapped) {
        text += fmt::format("MM_NVM_PLACEMENT uint8_t mm_nvm[MM_NVM_ARRAY_BYTES({}_APP_NVM_BYTES)];\n",
                            macro_prefix(input));
    }
    text += variable_declarations(input);
    for (int task = 0; task < input.chain->tasks(); ++task) {
        const tasks::PlannedTask& planned = plan.tasks[static_cast<std::size_t>(task)];
        text += transfer_list(input, fmt::format("fetch_{:02}", task), planned.fetch);
        text += transfer_list(input, fmt::format("commit_{:02}", task), planned.commit);
    }
    text += transfer_list(input, "initial", plan.initial);
    text += fmt::format("\nstatic const mm_task_t tasks[{}_APP_TASKS] = {{\n", macro_prefix(input));
    for (int task = 0; task < input.chain->tasks(); ++task) {
        text += task_row(input, task);
    }
    text += fmt::format(
        "}};\n\nconst mm_app_t {}_app = {{\n    .build_id = {:#018x}u,\n    .nvm_bytes = {}_APP_NVM_BYTES,\n"
        "    .layout = MM_NVM_LAYOUT,\n    .task_count = {}_APP_TASKS,\n    .tasks = tasks,\n    .initial = {},\n"
        "    .initial_count = {}u,\n}};\n",
        input.prefix, build_id, macro_prefix(input), macro_prefix(input), plan.initial.empty() ? "0" : "initial",
        plan.initial.size());
    return text;
}

std::string write_host_description(const WeaveInput& input) {
    const auto sizes = [&](const std::vector<cfront::ObjectId>& objects) {
        std::string list;
        for (cfront::ObjectId id : objects) {
            list += fmt::format("{}{}u", list.empty() ? "" : ", ", *input.chain->object(id).bytes);
        }
        return list.empty() ? std::string("0u") : list;
    };
    std::string text = banner(
        input, fmt::format("{} for the host port: its inputs, outputs and the names of its tasks.", input.prefix));
    text += fmt::format("#include \"{}_app.h\"\n#include \"mm_host.h\"\n\n", input.prefix);
    text += fmt::format("static const uint32_t input_bytes[] = {{{}}};\n", sizes(input.chain->inputs));
    text += fmt::format("static const uint32_t output_bytes[] = {{{}}};\n", sizes(input.chain->outputs));
    text += "static const char *const task_names[] = {\n";
    for (int task = 0; task < input.chain->tasks(); ++task) {
        text += fmt::format("    \"{}\",\n", task_name(input, task));
    }
    return text +
           fmt::format(
               "}};\n\nconst mm_host_app_t mm_host_app = {{\n    .app = &{}_app,\n    .input_bytes = input_bytes,\n"
               "    .output_bytes = output_bytes,\n    .task_names = task_names,\n    .input_count = {}u,\n"
               "    .output_count = {}u,\n}};\n",
               input.prefix, input.chain->inputs.size(), input.chain->outputs.size());
}

}  // namespace metamorph::weave

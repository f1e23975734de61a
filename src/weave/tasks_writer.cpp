// app/PREFIX_app.h and app/PREFIX_tasks.c: tasks as plain functions that return the next task.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "weave/writers.h"

namespace metamorph::weave {
namespace {

using cfront::Argument;
using cfront::Parameter;
using tasks::ChainStep;

// Where a pointer argument points, as C: "(const int8_t *)&mm_nvm[128]".
std::string pointer(const WeaveInput& input, int step, int argument, cfront::ObjectId object, const std::string& type,
                    std::int64_t element_bytes) {
    const tasks::Pointer& at = input.plan->pointers.at({step, argument});
    const std::string array = at.in_nvm ? "mm_nvm" : sram_name(input, object);
    if (type == "void *") {
        return fmt::format("&{}[{}]", array, at.at);
    }
    const bool is_const = type.rfind("const ", 0) == 0;
    // Through void: the array's alignment is that of its home, which a compiler cannot see.
    const std::string through = element_bytes > 1 ? (is_const ? "(const void *)" : "(void *)") : "";
    return fmt::format("({}){}&{}[{}]", type, through, array, at.at);
}

Result<std::string> prototype(const WeaveInput& input, const cfront::Step& step) {
    const cfront::Function* function = input.chain->model->function(step.callee);
    if (function == nullptr) {
        return fail(ErrorCode::model, fmt::format("{}:{}", step.location.file, step.location.line),
                    "the declaration of '{}' was not found", step.callee);
    }
    if (function->is_static) {
        return fail_with_hint(ErrorCode::model, fmt::format("{}:{}", function->location.file, function->location.line),
                              fmt::format("'{}' is static: tasks in another file cannot call it", function->name),
                              "give it external linkage");
    }
    std::string parameters;
    for (const Parameter& p : function->parameters) {
        parameters += fmt::format("{}{}{}", parameters.empty() ? "" : ", ",
                                  p.is_pointer ? p.element_type + " *" : p.type + " ", p.name);
    }
    return fmt::format("{} {}({});\n", function->return_type, function->name, parameters.empty() ? "void" : parameters);
}

// The generator's own header where there is one; otherwise a prototype each.
Result<std::string> declare_steps(const WeaveInput& input) {
    std::string prototypes;
    std::set<std::string> declared;
    for (const cfront::Step& step : input.chain->model->entry.steps) {
        if (declared.insert(step.callee).second) {
            MM_TRY(const std::string line, prototype(input, step));
            prototypes += line;
        }
    }
    return input.declarations_header.empty() ? prototypes : fmt::format("#include \"{}\"\n", input.declarations_header);
}

std::string call(const WeaveInput& input, int chain_step) {
    const cfront::EntryModel& entry = input.chain->model->entry;
    const cfront::Step& step =
        entry.steps[static_cast<std::size_t>(input.chain->steps[static_cast<std::size_t>(chain_step)].entry_step)];
    const cfront::Function* function = input.chain->model->function(step.callee);
    std::string arguments;
    for (std::size_t a = 0; a < step.arguments.size(); ++a) {
        const Argument& argument = step.arguments[a];
        const bool is_moved =
            argument.kind == Argument::Kind::object &&
            entry.objects[static_cast<std::size_t>(argument.object)].kind == cfront::ObjectKind::entry_parameter;
        std::string text = argument.text;
        if (is_moved) {
            const Parameter& p = function->parameters[a];
            text = pointer(input, chain_step, static_cast<int>(a), argument.object, p.element_type + " *",
                           p.element_bytes);
        }
        arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", text);
    }
    return fmt::format("    {}({});\n", step.callee, arguments);
}

std::string take_input(const WeaveInput& input, int step) {
    std::string text;
    const tasks::ChainStep& taking = input.chain->steps[static_cast<std::size_t>(step)];
    for (const tasks::ChainAccess& access : taking.accesses) {
        text += fmt::format(
            "    if (!mm_port_take_input(mm_inference(), {}u, {}, {}u)) {{\n        return MM_TASK_IDLE;\n    }}\n",
            access.argument, pointer(input, step, access.argument, access.object, "void *", 1), access.writes.bytes());
    }
    return text;
}

std::string hand_over(const WeaveInput& input, int step) {
    std::string text;
    const tasks::ChainStep& handing = input.chain->steps[static_cast<std::size_t>(step)];
    for (const tasks::ChainAccess& access : handing.accesses) {
        text += fmt::format("    mm_port_hand_over(mm_inference(), {}u, {}, {}u);\n", access.argument,
                            pointer(input, step, access.argument, access.object, "void *", 1), access.reads.bytes());
    }
    return text;
}

std::string transfers_comment(const WeaveInput& input, const char* verb,
                              const std::vector<tasks::Transfer>& transfers) {
    std::string text;
    for (const tasks::Transfer& t : transfers) {
        text += fmt::format(" * {} {} [{}, {}), NVM home {}.\n", verb, input.chain->object(t.object).name, t.offset,
                            t.offset + t.bytes, t.home);
    }
    return text;
}

std::string task_comment(const WeaveInput& input, int task) {
    const tasks::PlannedTask& planned = input.plan->tasks[static_cast<std::size_t>(task)];
    std::string text = fmt::format("/* Task {}: {}.\n", task, task_name(input, task));
    text += transfers_comment(input, "Needs in SRAM:", planned.fetch);
    for (int s = planned.first_step; s <= planned.last_step; ++s) {
        for (const tasks::ChainAccess& a : input.chain->steps[static_cast<std::size_t>(s)].accesses) {
            const auto at = input.plan->pointers.find({s, a.argument});
            if (at != input.plan->pointers.end() && at->second.in_nvm) {
                text += fmt::format(
                    " * {} NVM in place from {} on: {} of {}, {} bytes.\n", a.writes.empty() ? "Reads" : "Writes",
                    at->second.at, input.chain->steps[static_cast<std::size_t>(s)].label(),
                    input.chain->object(a.object).name, (a.writes.empty() ? a.reads : a.writes).bytes());
            }
        }
    }
    text += transfers_comment(input, "Commits:", planned.commit);
    const bool has_scratch =
        std::any_of(input.plan->variables.begin(), input.plan->variables.end(), [&](const tasks::Variable& v) {
            return v.placement == tasks::Placement::nvm_scratch && v.first_task <= task && task <= v.last_task;
        });
    return text + (has_scratch ? " * Running it again is safe: of what it reads in NVM, it writes its scratch alone, "
                                 "and that before reading it. */\n"
                               : " * Running it again is safe: nothing that it writes in NVM has a byte in common with "
                                 "what it reads there. */\n");
}

// What a task saves of SRAM without having surely written it, or having it from NVM: a step that cannot be looked into
// counts as writing everything. Nobody else has written it either, so that 0 is as good as what SRAM holds then, and
// the same after each reboot.
std::string clear_what_nobody_writes(const WeaveInput& input, int task) {
    const tasks::PlannedTask& planned = input.plan->tasks[static_cast<std::size_t>(task)];
    std::map<cfront::ObjectId, IntervalSet> open;
    for (const tasks::Transfer& t : planned.commit) {
        if (input.plan->sram_bytes.contains(t.object)) {
            open[t.object].add(t.offset, t.offset + t.bytes);
        }
    }
    for (const tasks::Transfer& t : planned.fetch) {
        open[t.object].subtract(t.offset, t.offset + t.bytes);
    }
    for (int s = planned.first_step; s <= planned.last_step; ++s) {
        for (const tasks::ChainAccess& access : input.chain->steps[static_cast<std::size_t>(s)].accesses) {
            open[access.object].subtract(access.must_writes);
        }
    }
    std::string text;
    for (const auto& [object, bytes] : open) {
        for (const Interval& range : bytes.intervals()) {
            text += fmt::format("    for (uint32_t i = {}u; i < {}u; i++) {{\n        {}[i] = 0;\n    }}\n",
                                range.begin, range.end, sram_name(input, object));
        }
    }
    return text;
}

std::string task_body(const WeaveInput& input, int task) {
    const tasks::PlannedTask& planned = input.plan->tasks[static_cast<std::size_t>(task)];
    std::string text = clear_what_nobody_writes(input, task);
    for (int s = planned.first_step; s <= planned.last_step; ++s) {
        switch (input.chain->steps[static_cast<std::size_t>(s)].kind) {
            case ChainStep::Kind::take_input:
                text += take_input(input, s);
                break;
            case ChainStep::Kind::call:
                text += call(input, s);
                break;
            case ChainStep::Kind::hand_over:
                text += hand_over(input, s);
                break;
        }
    }
    const bool is_last = task + 1 == input.chain->tasks();
    return text + (is_last ? "    return MM_TASK_DONE;\n" : fmt::format("    return {}u;\n", task + 1));
}

}  // namespace

std::string write_app_header(const WeaveInput& input) {
    const std::string macro = macro_prefix(input);
    std::string text =
        banner(input, fmt::format("The intermittence-safe application {}: tasks, SRAM and NVM.", input.prefix));
    text += fmt::format(
        "#ifndef {0}_APP_H\n#define {0}_APP_H\n\n#include <stdint.h>\n\n#include \"metamorph/mm_runtime.h\"\n\n",
        macro);
    text += fmt::format("#define {}_APP_TASKS {}u\n#define {}_APP_NVM_BYTES {}u\n\n", macro, input.chain->tasks(),
                        macro, input.plan->nvm_bytes);
    text += fmt::format("/* Run it with mm_run(&{0}_app). */\nextern const mm_app_t {0}_app;\n\n", input.prefix);
    if (input.plan->mode == tasks::NvmMode::mapped) {
        text += "/* All of NVM: the runtime's header, then the homes. */\nextern uint8_t mm_nvm[];\n\n";
    }
    text += fmt::format(
        "/* Of SRAM images, in which nothing is read before it is written or fetched. */\n"
        "#define MM_SRAM_PLACEMENT{}\n\n",
        input.device == nullptr ? "" : " __attribute__((section(\".mm_sram\")))");
    for (const auto& [object, bytes] : input.plan->sram_bytes) {
        text += fmt::format("/* SRAM image of the generated entry's parameter '{}'. */\nextern uint8_t {}[{}];\n",
                            input.chain->object(object).name, sram_name(input, object), bytes);
    }
    text += "\n";
    for (int task = 0; task < input.chain->tasks(); ++task) {
        text += fmt::format("mm_task_id_t {}(void);\n", task_function(input, task));
    }
    return text + "\n#endif\n";
}

Result<std::string> write_tasks(const WeaveInput& input) {
    std::string text = banner(input, fmt::format("The tasks of {}.", input.prefix));
    text += fmt::format("#include \"{}_app.h\"\n#include \"metamorph/mm_port.h\"\n\n", input.prefix);
    MM_TRY(const std::string declarations, declare_steps(input));
    text += declarations;
    for (const auto& [object, bytes] : input.plan->sram_bytes) {
        text += fmt::format("\nMM_SRAM_PLACEMENT _Alignas({}) uint8_t {}[{}];\n", tasks::k_home_alignment,
                            sram_name(input, object), bytes);
    }
    for (int task = 0; task < input.chain->tasks(); ++task) {
        text += fmt::format("\n{}mm_task_id_t {}(void)\n{{\n{}}}\n", task_comment(input, task),
                            task_function(input, task), task_body(input, task));
    }
    return text;
}

}  // namespace metamorph::weave

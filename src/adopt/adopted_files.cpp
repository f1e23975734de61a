#include "adopt/adopted_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::adopt {
namespace {

using cfront::StepAddress;

std::string banner(const AdoptedEntry& adopted, const std::string& what) {
    return fmt::format("/* {}\n *\n * Written by Metamorph " METAMORPH_VERSION " around code of {}.\n */\n", what,
                       adopted.code->generator);
}

std::string parameter_list(const AdoptedEntry& adopted, int count) {
    std::string list;
    for (int i = 0; i < count; ++i) {
        const AdoptedParameter& p = adopted.parameters[static_cast<std::size_t>(i)];
        list += fmt::format("{}{} {}[static {}]", list.empty() ? "" : ", ", p.element_type, p.name, p.elements);
    }
    return list.empty() ? "void" : list;
}

int parameter_of(const AdoptedEntry& adopted, const StepAddress& address) {
    switch (address.base) {
        case StepAddress::Base::result:
            return adopted.result;
        case StepAddress::Base::returned:
            return adopted.returned;
        case StepAddress::Base::local:
            return adopted.locals;
        case StepAddress::Base::parameter:
            break;
    }
    for (std::size_t i = 0; i < adopted.parameters.size(); ++i) {
        if (adopted.parameters[i].foreign == address.index) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

std::string argument(const AdoptedEntry& adopted, const StepAddress& address) {
    const std::string& name = adopted.parameters[static_cast<std::size_t>(parameter_of(adopted, address))].name;
    const std::string is_const = address.is_const ? "const " : "";
    std::int64_t offset = address.offset;
    if (address.base == StepAddress::Base::local) {
        offset += adopted.arena.offsets[static_cast<std::size_t>(address.index)];
    }
    return offset == 0 ? fmt::format("({}void *){}", is_const, name)
                       : fmt::format("({0}void *)(({0}unsigned char *){1} + {2})", is_const, name, offset);
}

// With the outputs that a step clears as further addresses.
std::vector<cfront::SourceStep> steps_of(const AdoptedEntry& adopted) {
    std::vector<cfront::SourceStep> steps = adopted.source->steps;
    for (const ClearedOutput& cleared : adopted.cleared) {
        cfront::SourceStep& step = steps[static_cast<std::size_t>(cleared.step)];
        const AdoptedParameter& parameter = adopted.parameters[static_cast<std::size_t>(cleared.parameter)];
        const StepAddress whole{StepAddress::Base::parameter, parameter.foreign, 0, false};
        auto at = std::find(step.addresses.begin(), step.addresses.end(), whole);
        if (at == step.addresses.end()) {
            step.addresses.push_back(whole);
            at = step.addresses.end() - 1;
        }
        step.body = fmt::format("    __builtin_memset(mm_a{}, 0, {});\n{}", at - step.addresses.begin(), cleared.bytes,
                                step.body);
    }
    return steps;
}

std::string step_parameters(const cfront::SourceStep& step) {
    std::string list;
    for (std::size_t i = 0; i < step.addresses.size(); ++i) {
        list +=
            fmt::format("{}{}void *mm_a{}", list.empty() ? "" : ", ", step.addresses[i].is_const ? "const " : "", i);
    }
    return list.empty() ? "void" : list;
}

// What the text of a C comment must not hold.
std::string in_comment(std::string text) {
    for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/")) {
        text.replace(at, 2, "* /");
    }
    for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*")) {
        text.replace(at, 2, "/ *");
    }
    return text;
}

std::string local_comment(const AdoptedEntry& adopted) {
    std::string text;
    for (std::size_t i = 0; i < adopted.source->locals.size(); ++i) {
        const cfront::SharedLocal& local = adopted.source->locals[i];
        text += fmt::format(" * mm_locals + {}: {} {}, {} bytes, steps {} to {}.\n", adopted.arena.offsets[i],
                            in_comment(local.type), local.name, local.bytes, local.first_step, local.last_step);
    }
    return text.empty() ? text : "\n/* Locals that steps share:\n" + text + " */\n";
}

// The step once more, for a part of its rounds.
std::string rounds_of_step(const AdoptedEntry& adopted, std::size_t step, const std::string& parameters) {
    const StepRounds& rounds = adopted.rounds[step];
    const std::string head = fmt::format("void {}({}{}int mm_first, int mm_end)", rounds.function,
                                         parameters == "void" ? "" : parameters, parameters == "void" ? "" : ", ");
    return fmt::format("\n{}/* Of its {} rounds those from mm_first to mm_end. */\n{};\n{}\n{{\n{}}}\n",
                       rounds.prototype.empty() ? "" : rounds.prototype + "\n\n", rounds.rounds, head, head,
                       rounds.body);
}

// A condition over several lines.
std::string wrapped(std::string condition) {
    constexpr std::size_t k_columns = 90;
    std::size_t line = 0;
    for (std::size_t at = condition.find(" && "); at != std::string::npos; at = condition.find(" && ", at + 4)) {
        const std::size_t next = std::min(condition.find(" && ", at + 4), condition.size());
        if (next - line > k_columns) {
            condition.replace(at, 1, "\n                   ");
            line = at + 1;
        }
    }
    return condition;
}

}  // namespace

std::vector<std::string> arguments_of_step(const AdoptedEntry& adopted, std::size_t step) {
    std::vector<std::string> arguments;
    const std::vector<cfront::SourceStep> steps = steps_of(adopted);
    for (const StepAddress& address : steps[step].addresses) {
        arguments.push_back(argument(adopted, address));
    }
    return arguments;
}

std::string write_steps(const AdoptedEntry& adopted) {
    const cfront::EntrySource& source = *adopted.source;
    std::string text = banner(
        adopted,
        fmt::format("{} as steps: what each of its statements does, as a function of its own.", adopted.code->entry));
    text += fmt::format("#include <stdint.h>\n\n#include \"../{}\"\n", source.source);
    text += fmt::format(
        "\n/* The code was read for this layout of types: another would have its data elsewhere. */\n"
        "_Static_assert({},\n               \"this compiler lays out types in another way\");\n",
        wrapped(source.layout));
    for (const std::string& variable : source.variables) {
        text += (&variable == source.variables.data() ? "\n" : "") + variable + "\n";
    }
    text += local_comment(adopted);
    const std::vector<cfront::SourceStep> steps = steps_of(adopted);
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const cfront::SourceStep& step = steps[s];
        const std::string head = fmt::format("void {}({})", adopted.step_names[s], step_parameters(step));
        text += fmt::format("\n/* {}:{}: {} */\n{};\n{}\n{{\n{}}}\n", step.location.file, step.location.line,
                            in_comment(step.text), head, head, step.body);
        if (!adopted.rounds.empty() && adopted.rounds[s].rounds > 0) {
            text += rounds_of_step(adopted, s, step_parameters(step));
        }
    }
    const std::string head =
        fmt::format("void {}({})", adopted.entry, parameter_list(adopted, static_cast<int>(adopted.parameters.size())));
    text += fmt::format("\n{};\n{}\n{{\n", head, head);
    for (std::size_t s = 0; s < steps.size(); ++s) {
        text += fmt::format("    {}({});\n", adopted.step_names[s], fmt::join(arguments_of_step(adopted, s), ", "));
    }
    return text + "}\n";
}

// A device has no heap: what the entry allocates is of known size, and all of it is freed before it returns, or never.
std::string heap_of(const AdoptedEntry& adopted) {
    if (adopted.source->heap_bytes == 0) {
        return "";
    }
    return fmt::format(R"(
#ifndef __unix__
#include <stddef.h>

/* The heap of a device: as much as the entry takes, given back at its end. */
static _Alignas(16) unsigned char mm_heap[{}];
static size_t mm_heap_used;

void *malloc(size_t bytes)
{{
    const size_t at = mm_heap_used;
    if (bytes > sizeof mm_heap - at) {{
        return 0;
    }}
    mm_heap_used = at + (bytes + 15u) / 16u * 16u;
    return mm_heap + at;
}}

void *calloc(size_t count, size_t bytes)
{{
    unsigned char *memory = malloc(count * bytes);
    for (size_t i = 0; memory && i < count * bytes; i++) {{
        memory[i] = 0;
    }}
    return memory;
}}

void free(void *memory)
{{
    (void)memory;
}}
#endif
)",
                       adopted.source->heap_bytes);
}

std::string write_oracle(const AdoptedEntry& adopted, const std::string& source) {
    const cfront::Function& entry = adopted.source->function;
    std::string arguments;
    for (std::size_t p = 0; p < entry.parameters.size(); ++p) {
        const auto is_it = [&](const AdoptedParameter& parameter) { return parameter.foreign == static_cast<int>(p); };
        const auto found = std::find_if(adopted.parameters.begin(), adopted.parameters.end(), is_it);
        arguments += arguments.empty() ? "" : ", ";
        if (found != adopted.parameters.end()) {
            // Through void: what the array's elements are is the generator's to say.
            const bool is_const = found->element_type.starts_with("const ");
            arguments += fmt::format("({}void *){}", is_const ? "const " : "", found->name);
        } else {
            const auto listed =
                std::find_if(adopted.code->parameters.begin(), adopted.code->parameters.end(),
                             [&](const generate::ForeignParameter& f) {
                                 return f.name == entry.parameters[p].name || f.name == fmt::format("#{}", p);
                             });
            arguments += fmt::format("{}", listed == adopted.code->parameters.end() ? 0 : listed->value);
        }
    }
    const std::string call = fmt::format("{}({})", entry.name, arguments);
    std::string text = banner(adopted, fmt::format("The oracle: {} as it was generated.", entry.name));
    text += fmt::format("#include <stdint.h>\n\n#include \"../{}\"\n\n", source);
    text += heap_of(adopted) + (adopted.source->heap_bytes > 0 ? "\n" : "");
    const std::string head =
        fmt::format("void {}({})", adopted.oracle, parameter_list(adopted, adopted.plain_parameters));
    text += fmt::format("{};\n{}\n{{\n", head, head);
    for (const ClearedOutput& cleared : adopted.cleared) {
        text += fmt::format("    __builtin_memset({}, 0, {});\n",
                            adopted.parameters[static_cast<std::size_t>(cleared.parameter)].name, cleared.bytes);
    }
    if (adopted.source->heap_bytes > 0) {
        text += "#ifndef __unix__\n    mm_heap_used = 0;\n#endif\n";
    }
    if (adopted.result >= 0) {
        const std::string& name = adopted.parameters[static_cast<std::size_t>(adopted.result)].name;
        text += fmt::format("    *({} *)(void *){} = {};\n", entry.return_type, name, call);
    } else {
        text += fmt::format("    {}{};\n", entry.return_type == "void" ? "" : "(void)", call);
    }
    return text + "}\n";
}

}  // namespace metamorph::adopt

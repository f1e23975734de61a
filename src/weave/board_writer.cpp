// What an application on a device has in place of a host's main: its description for the board's port, and the plain
// program that reads from and writes to the same board.
#include <algorithm>

#include <fmt/format.h>

#include "weave/device_fit.h"
#include "weave/writers.h"

namespace metamorph::weave {
namespace {

std::string sizes(const WeaveInput& input, const std::vector<cfront::ObjectId>& objects) {
    std::string list;
    for (cfront::ObjectId id : objects) {
        list += fmt::format("{}{}u", list.empty() ? "" : ", ", *input.chain->object(id).bytes);
    }
    return list.empty() ? "0u" : list;
}

}  // namespace

std::string write_board_description(const WeaveInput& input) {
    std::string text =
        banner(input, fmt::format("{} for the board's port and for tools that look into the program: its inputs,\n"
                                  " * outputs and the names of its tasks.",
                                  input.prefix));
    text += fmt::format("#include \"{}_app.h\"\n#include \"mm_board.h\"\n\n", input.prefix);
    text += fmt::format("static const uint32_t input_bytes[] = {{{}}};\n", sizes(input, input.chain->inputs));
    text += fmt::format("static const uint32_t output_bytes[] = {{{}}};\n", sizes(input, input.chain->outputs));
    text += "static const char *const task_names[] = {\n";
    for (int task = 0; task < input.chain->tasks(); ++task) {
        text += fmt::format("    \"{}\",\n", task_name(input, task));
    }
    return text +
           fmt::format(
               "}};\n\nconst mm_board_app_t mm_board_app = {{\n    .app = &{}_app,\n    .input_bytes = input_bytes,\n"
               "    .output_bytes = output_bytes,\n    .task_names = task_names,\n    .input_count = {}u,\n"
               "    .output_count = {}u,\n}};\n",
               input.prefix, input.chain->inputs.size(), input.chain->outputs.size());
}

Result<std::string> write_board_plain_main(const WeaveInput& input) {
    const cfront::CodeModel& model = *input.chain->model;
    const cfront::Function* entry = model.function(model.entry.function);
    if (entry == nullptr) {
        return fail(ErrorCode::internal, "", "the entry {} has no declaration", model.entry.function);
    }
    const std::vector<bool> in_nvm = plain_buffers_in_nvm(*input.chain, *input.device);
    std::string buffers, parameters, arguments, taking, giving;
    std::int64_t input_bytes = 0;
    for (cfront::ObjectId id : input.chain->inputs) {
        input_bytes += *input.chain->object(id).bytes;
    }
    std::int64_t input_at = 0;
    int output = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(plain_parameters(input)); ++p) {
        const cfront::Parameter& parameter = entry->parameters[p];
        const cfront::Object* object = object_of_parameter(input, static_cast<int>(p));
        if (object == nullptr || !object->bytes) {
            return fail(ErrorCode::model, model.entry.function,
                        "parameter '{}' of {} is not memory of a known extent: declare it as in 'int8_t {}[static 64]'",
                        parameter.name, model.entry.function, parameter.name);
        }
        buffers +=
            fmt::format("static {} _Alignas({}) uint8_t buffer_{}[{}]; /* {} */\n", in_nvm[p] ? "MM_NVM" : "MM_SRAM",
                        tasks::k_home_alignment, p, *object->bytes, parameter.name);
        parameters += fmt::format("{}{} *{}", p == 0 ? "" : ", ", parameter.element_type, parameter.name);
        arguments += fmt::format("{}({} *)(void *)buffer_{}", p == 0 ? "" : ", ", parameter.element_type, p);
        if (input.chain->roles[p] == tasks::Role::input) {
            taking += fmt::format("{}mm_board_take(sequence, {}u, {}u, buffer_{}, {}u)", taking.empty() ? "" : " && ",
                                  input_bytes, input_at, p, *object->bytes);
            input_at += *object->bytes;
        } else if (input.chain->roles[p] == tasks::Role::output) {
            giving +=
                fmt::format("        mm_board_give(sequence, {}u, buffer_{}, {}u);\n", output++, p, *object->bytes);
        }
    }
    std::string text = banner(
        input, fmt::format("The oracle: {} as it was generated, never interrupted, on the same board.", input.prefix));
    text += "#include <stdint.h>\n\n#include \"mm_board.h\"\n#include \"mm_start.h\"\n\n";
    text +=
        "#define MM_SRAM __attribute__((section(\".mm_sram\"))) /* written before it is read: not cleared at the start "
        "*/\n";
    if (std::find(in_nvm.begin(), in_nvm.end(), true) != in_nvm.end()) {
        text += "#define MM_NVM __attribute__((section(\".mm_nvm\"))) /* what SRAM has no room for */\n";
    }
    text += "\n";
    const std::string& name = input.plain_entry.empty() ? entry->name : input.plain_entry;
    text += fmt::format("{} {}({});\n\n{}\n", entry->return_type, name, parameters, buffers);
    text += fmt::format(
        "int main(void)\n{{\n    uint32_t sequence = 0;\n    while ({}) {{\n        {}({});\n{}        sequence++;\n"
        "    }}\n    mm_board_halt(1u + MM_STATUS_IDLE, 0);\n}}\n",
        taking.empty() ? "sequence == 0u" : taking, name, arguments, giving);
    return text;
}

}  // namespace metamorph::weave

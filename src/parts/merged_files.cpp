#include "parts/merged_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parts/part_text.h"
#include "parts/shared_names.h"

namespace metamorph::parts {
namespace {

std::string head_of(const std::string& definition) {
    std::string head = definition.substr(0, definition.find('{'));
    while (!head.empty() && (head.back() == '\n' || head.back() == ' ')) {
        head.pop_back();
    }
    return head;
}

std::string without_static(const std::string& text) {
    return text.starts_with("static ") ? text.substr(7) : text;
}

std::string banner(const MergedProgram& program, const std::string& what) {
    return fmt::format("/* {}\n *\n * Written by Metamorph " METAMORPH_VERSION
                       " from {} parts that {} has made.\n */\n",
                       what, program.parts.size(), program.generator);
}

std::string includes(const MergedProgram& program, std::size_t part, bool with_weights) {
    std::string text = "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
    for (const std::string& header : program.sources[part].includes) {
        text += fmt::format("#include \"{}\"\n", header);
    }
    text += fmt::format("#include \"../generated/{}/cnn.h\"\n", program.sources[part].name);
    if (with_weights) {
        text += fmt::format("#include \"../generated/{}/weights.h\"\n", program.sources[part].name);
    }
    return text + fmt::format("\n#include \"{0}_parts.h\"\n#include \"{0}_shared.h\"\n", program.prefix);
}

std::string guard_of(const MergedProgram& program, const std::string& ending) {
    std::string guard = program.prefix + ending;
    std::transform(guard.begin(), guard.end(), guard.begin(), [](unsigned char c) { return std::toupper(c); });
    return fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
}

std::string run_table(const std::string& name, const std::vector<TransferRun>& runs) {
    std::string text = fmt::format("\nstatic const ai8x_run_t {}[] = {{\n", name);
    for (const TransferRun& run : runs) {
        text += fmt::format("    {{{:#010x}, {:#010x}, {}, {}}},\n", run.address, run.mask, run.words, run.step);
    }
    return text + "};\n";
}

std::map<std::string, std::string> new_names(const MergedProgram& program, std::size_t part) {
    std::map<std::string, std::string> names;
    for (const std::string& name : program.parts[part].own) {
        names[name] = merged_name(program, name, part);
    }
    return names;
}

std::string definition_of(const PartSource& source, const std::string& name) {
    const auto function = source.functions.find(name);
    return function == source.functions.end() ? source.variables.at(name).text : function->second.text;
}

// The part's own definitions, renamed, each function declared before.
std::string own_definitions(const MergedProgram& program, std::size_t part) {
    const PartSource& source = program.sources[part];
    const std::map<std::string, std::string> names = new_names(program, part);
    std::string prototypes, definitions;
    for (const std::string& name : program.parts[part].own) {
        const std::string text = renamed(definition_of(source, name), names);
        if (source.functions.contains(name)) {
            prototypes += head_of(text) + ";\n";
        }
        definitions += "\n" + text + "\n";
    }
    return "\n" + prototypes + definitions;
}

std::string call(const MergedProgram& program, const std::string& statement, std::size_t part) {
    return "    " + renamed(statement, new_names(program, part)) + ";\n";
}

std::string step_function(const MergedProgram& program, std::size_t part) {
    const PartSource& source = program.sources[part];
    const MergedPart& merged = program.parts[part];
    const bool is_last = part + 1 == program.parts.size();
    std::string text = fmt::format("\nvoid {}(const uint8_t *from, uint8_t *to)\n{{\n", merged.step);
    text += fmt::format("    {}_boot();\n", program.prefix) + call(program, source.enable, part);
    if (!source.boost.empty()) {
        text += call(program, source.boost[0], part);
    }
    for (const char* name : {"cnn_init()", "cnn_load_weights()", "cnn_load_bias()", "cnn_configure()"}) {
        text += call(program, name, part);
    }
    text += "    ai8x_load(loads, sizeof loads / sizeof loads[0], from);\n" + call(program, "cnn_start()", part);
    text += "    while (cnn_time == 0) {\n        MXC_LP_EnterSleepMode();\n    }\n";
    if (!source.boost.empty()) {
        text += call(program, source.boost[1], part);
    }
    if (is_last) {
        // Through SRAM, so that each byte of the buffer is stored once.
        text += fmt::format(
            "    static uint32_t output[{}];\n    for (unsigned i = 0; i < {}; i++) {{\n"
            "        output[i] = 0;\n    }}\n",
            source.output_words, source.output_words);
        text += call(program, "cnn_unload(output)", part);
        text += fmt::format(
            "    for (unsigned i = 0; i < {}; i++) {{\n"
            "        to[i] = (uint8_t)(output[i / 4] >> 8 * (i % 4));\n    }}\n",
            merged.to_bytes);
    } else {
        text += "    ai8x_store(stores, sizeof stores / sizeof stores[0], to);\n";
    }
    return text + call(program, "cnn_disable()", part) + "}\n";
}

// softmax_layer without its unloading, between two buffers.
std::string softmax_function(const MergedProgram& program, std::size_t part) {
    const PartSource& source = program.sources[part];
    const std::map<std::string, std::string> names = new_names(program, part);
    const PartFunction& layer = source.functions.at("softmax_layer");
    std::string text = fmt::format(
        "\nvoid {0}(const uint8_t *from, uint8_t *to)\n{{\n"
        "    uint8_t *in = (uint8_t *){1};\n    const uint8_t *out = (const uint8_t *){2};\n"
        "    for (unsigned i = 0; i < {3}; i++) {{\n        in[i] = from[i];\n    }}\n",
        program.softmax_step, names.at(source.output_array), names.at("ml_softmax"), program.parts[part].to_bytes);
    for (const Statement& statement : statements_of(layer.text, layer.facts.location.line, source.macros)) {
        if (!statement.text.starts_with("cnn_unload(")) {
            text += "    " + renamed(statement.text, names) + ";\n";
        }
    }
    return text + fmt::format("    for (unsigned i = 0; i < {}; i++) {{\n        to[i] = out[i];\n    }}\n}}\n",
                              program.output_bytes);
}

std::string known_list(const std::string& name, const KnownWords& words) {
    std::string text = fmt::format("static const uint32_t {}[] = {{\n", name);
    for (auto at = words.begin(); at != words.end();) {
        auto end = at;
        std::string values;
        std::uint32_t length = 0;
        for (; end != words.end() && end->second.mask == at->second.mask && end->first == at->first + 4 * length;
             ++end) {
            values += fmt::format(", {:#x}", end->second.value);
            ++length;
        }
        text += fmt::format("    {:#010x}, {:#010x}, {}{},\n", at->first, at->second.mask, length, values);
        at = end;
    }
    return text + "    0};\n";
}

}  // namespace

std::string merged_name(const MergedProgram& program, const std::string& name, std::size_t part) {
    const bool is_once = name == k_stopwatch || program.shared.contains(name);
    return is_once ? name : fmt::format("{}_{}", name, part);
}

std::string write_parts_header(const MergedProgram& program) {
    std::string text = banner(program, "The parts of " + program.prefix + " as steps.");
    text += guard_of(program, "_PARTS_H") + "#include <stdint.h>\n\n";
    text += "/* The part's input from one buffer, its output to another. */\n";
    for (const MergedPart& part : program.parts) {
        text += fmt::format("void {}(const uint8_t *from, uint8_t *to); /* {} bytes to {} bytes */\n", part.step,
                            part.from_bytes, part.to_bytes);
    }
    if (!program.softmax_step.empty()) {
        text += fmt::format("void {}(const uint8_t *from, uint8_t *to); /* {} bytes to {} bytes */\n",
                            program.softmax_step, program.parts.back().to_bytes, program.output_bytes);
    }
    return text + "\n#endif\n";
}

// Its types are those of the generator's cnn.h, which each part has included before.
std::string write_shared_header(const MergedProgram& program) {
    std::string text = banner(program, "What the parts of " + program.prefix + " share.");
    text += guard_of(program, "_SHARED_H");
    text += fmt::format(
        "#include <stdint.h>\n\n"
        "/* So many words of data memory, the next each `step` bytes on; of each, the bytes of the mask. */\n"
        "typedef struct {{\n    uint32_t address, mask, words, step;\n}} ai8x_run_t;\n\n"
        "/* Between data memory and a buffer that holds just the bytes of the masks; other bytes are loaded as 0. */\n"
        "void ai8x_load(const ai8x_run_t *runs, unsigned count, const uint8_t *from);\n"
        "void ai8x_store(const ai8x_run_t *runs, unsigned count, uint8_t *to);\n\n"
        "/* What is done once after each boot. */\nvoid {}_boot(void);\n\n",
        program.prefix);
    text += "/* The same in all parts. */\nextern volatile uint32_t cnn_time;\n";
    for (const std::string& name : program.parts[0].shared) {
        text += without_static(head_of(program.sources[0].functions.at(name).text)) + ";\n";
    }
    return text + "\n#endif\n";
}

std::string write_shared(const MergedProgram& program) {
    std::string text = banner(program, "What the parts of " + program.prefix + " share.");
    text += includes(program, 0, false);
    text += "\nvolatile uint32_t cnn_time; /* 0 while the accelerator works */\n";
    text += R"(
void ai8x_load(const ai8x_run_t *runs, unsigned count, const uint8_t *from)
{
    for (unsigned r = 0; r < count; r++) {
        for (uint32_t i = 0; i < runs[r].words; i++) {
            uint32_t word = 0;
            for (unsigned byte = 0; byte < 4; byte++) {
                if (runs[r].mask >> 8 * byte & 0xff) {
                    word |= (uint32_t)*from++ << 8 * byte;
                }
            }
            *(volatile uint32_t *)(uintptr_t)(runs[r].address + i * runs[r].step) = word;
        }
    }
}

void ai8x_store(const ai8x_run_t *runs, unsigned count, uint8_t *to)
{
    for (unsigned r = 0; r < count; r++) {
        for (uint32_t i = 0; i < runs[r].words; i++) {
            const uint32_t word = *(volatile uint32_t *)(uintptr_t)(runs[r].address + i * runs[r].step);
            for (unsigned byte = 0; byte < 4; byte++) {
                if (runs[r].mask >> 8 * byte & 0xff) {
                    *to++ = (uint8_t)(word >> 8 * byte);
                }
            }
        }
    }
}
)";
    text += fmt::format(
        "\nvoid {}_boot(void)\n{{\n    static int is_done; /* 0 again after each boot */\n"
        "    if (!is_done) {{\n",
        program.prefix);
    for (const std::string& statement : program.sources[0].boot) {
        text += fmt::format("        {};\n", statement);
    }
    text += "        is_done = 1;\n    }\n}\n";
    for (const std::string& name : program.parts[0].shared) {
        text += "\n" + without_static(program.sources[0].functions.at(name).text) + "\n";
    }
    return text;
}

std::string write_part(const MergedProgram& program, std::size_t part) {
    const bool is_last = part + 1 == program.parts.size();
    std::string text = banner(program, fmt::format("Part {} of {}.", part, program.prefix));
    text += includes(program, part, true) + own_definitions(program, part);
    text += run_table("loads", program.parts[part].loads);
    if (!is_last) {
        text += run_table("stores", program.parts[part].stores);
    }
    text += step_function(program, part);
    return text + (is_last && !program.softmax_step.empty() ? softmax_function(program, part) : "");
}

std::string write_entry(const MergedProgram& program) {
    const bool has_softmax = !program.softmax_step.empty();
    std::string text = banner(program, "All parts of " + program.prefix + " in a row: the entry, and the oracle.");
    text += fmt::format("#include <stdint.h>\n\n#include \"{}_parts.h\"\n", program.prefix);
    std::string parameters, arguments, buffers, calls, from = "input";
    const std::size_t buffers_between = program.parts.size() - 1 + (has_softmax ? 1 : 0);
    for (std::size_t p = 0; p < program.parts.size(); ++p) {
        const std::string to = p < buffers_between ? fmt::format("cut_{}", p) : "output";
        if (p < buffers_between) {
            parameters += fmt::format(", unsigned char {}[static {}]", to, program.parts[p].to_bytes);
            arguments += ", " + to;
            buffers += fmt::format("    static unsigned char {}[{}];\n", to, program.parts[p].to_bytes);
        }
        calls += fmt::format("    {}({}, {});\n", program.parts[p].step, from, to);
        from = to;
    }
    if (has_softmax) {
        calls += fmt::format("    {}({}, output);\n", program.softmax_step, from);
    }
    const std::string ends = fmt::format("const unsigned char input[static {}], unsigned char output[static {}]",
                                         program.parts[0].from_bytes, program.output_bytes);
    const std::string flat = fmt::format("void {}_flat({}{})", program.prefix, ends, parameters);
    const std::string oracle = fmt::format("void {}_oracle({})", program.prefix, ends);
    return text + fmt::format("\n{0};\n{0}\n{{\n{1}}}\n\n{2};\n{2}\n{{\n{3}    {4}_flat(input, output{5});\n}}\n", flat,
                              calls, oracle, buffers, program.prefix, arguments);
}

std::string write_known(const MergedProgram& program) {
    std::string text =
        banner(program, "For the stub of the accelerator: how each part sets it up, and its known answer.");
    text += "#include \"ai8x_known.h\"\n\n";
    std::string rows;
    for (std::size_t p = 0; p < program.parts.size(); ++p) {
        text += known_list(fmt::format("inputs_{}", p), program.sources[p].loaded);
        text += known_list(fmt::format("outputs_{}", p), program.sources[p].stored);
        rows += fmt::format("    {{{:#x}u, inputs_{}, outputs_{}}},\n", program.sources[p].setup_sum, p, p);
    }
    return text + fmt::format(
                      "\nconst ai8x_known_part_t ai8x_known_parts[] = {{\n{}}};\n"
                      "const unsigned ai8x_known_part_count = {};\n",
                      rows, program.parts.size());
}

}  // namespace metamorph::parts

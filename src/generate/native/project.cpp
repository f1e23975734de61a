// The files of a generated project that do not belong to one layer, and the list of them all.
#include "generate/native/project.h"

#include <algorithm>

#include "generate/native/arithmetic.h"

namespace metamorph::generate::native {
namespace {

const graph::Tensor& tensor_of(const Project& project, graph::TensorId id) {
    return project.graph.tensors[static_cast<std::size_t>(id)];
}

std::string entry_prototype(const Project& project) {
    std::string text = fmt::format("void {}_invoke(", project.prefix);
    const std::string indent(text.size(), ' ');
    std::size_t column = text.size();
    for (std::size_t i = 0; i < project.parameters.size(); ++i) {
        const EntryParameter& p = project.parameters[i];
        std::string piece =
            p.role == EntryParameter::Role::arena
                ? fmt::format("int8_t arena[static {}_ARENA_BYTES]", project.upper)
                : parameter(tensor_of(project, p.tensor), p.name, p.role == EntryParameter::Role::output);
        piece += i + 1 < project.parameters.size() ? "," : ")";
        if (i > 0 && column + piece.size() + 3 > 120) {
            text += "\n" + indent;
            column = indent.size();
        } else if (i > 0) {
            text += " ";
            ++column;
        }
        text += piece;
        column += piece.size();
    }
    return text;
}

std::string upper_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

std::string public_header(const Project& project) {
    std::string text = banner(project);
    text += fmt::format("#ifndef {0}_H\n#define {0}_H\n\n#include <stdint.h>\n\n", project.upper);
    for (const EntryParameter& p : project.parameters) {
        if (p.role == EntryParameter::Role::arena) {
            continue;
        }
        text += fmt::format("// {}: {}\n#define {}_{}_BYTES {}\n", p.name, describe(tensor_of(project, p.tensor)),
                            project.upper, upper_case(p.name), p.bytes);
    }
    text += fmt::format("\n// Memory for what passes between layers; at least {} bytes are alive at once.\n",
                        project.plan.bytes_lower_bound);
    text += fmt::format("#define {0}_ARENA_BYTES {1}\n#define {0}_ARENA_ALIGNMENT 16\n\n", project.upper,
                        project.plan.bytes);
    text +=
        "_Static_assert(sizeof(int8_t) == 1 && sizeof(int32_t) == 4 && sizeof(float) == 4, \"types of the expected "
        "size\");\n\n";
    text +=
        "// One inference. The caller owns all memory, and no parameter may overlap another; nothing is kept between "
        "calls.\n";
    if (project.plan.bytes > 0) {
        text +=
            fmt::format("// The arena is aligned to {}_ARENA_ALIGNMENT; its contents before the call do not matter.\n",
                        project.upper);
    }
    return text + entry_prototype(project) + ";\n\n#endif\n";
}

std::string entry_file(const Project& project) {
    std::string text = banner(project);
    text += fmt::format("#include \"{0}.h\"\n\n#include \"{0}_layers.h\"\n\n", project.prefix);
    if (!project.plan.slots.empty()) {
        text += "// What lives in the arena, and from which to which operator.\n";
        for (const ArenaSlot& slot : project.plan.slots) {
            text += fmt::format("_Static_assert({} + {} <= {}_ARENA_BYTES, \"operators {} to {}\");\n", slot.offset,
                                slot.bytes, project.upper, slot.first_operator, slot.last_operator);
        }
        text += "\n";
    }
    for (const std::string& note : project.entry_notes) {
        text += "// " + note + "\n";
    }
    text += entry_prototype(project) + " {\n";
    for (const Call& call : project.calls) {
        text += fmt::format("    {}({});\n", project.layers[call.layer].function, fmt::join(call.arguments, ", "));
    }
    return text + "}\n";
}

std::string example_file(const Project& project) {
    std::string inputs, outputs, arguments, storage;
    for (const EntryParameter& p : project.parameters) {
        arguments += (arguments.empty() ? "" : ", ") + p.name;
        if (p.role == EntryParameter::Role::arena) {
            storage +=
                fmt::format("static _Alignas({0}_ARENA_ALIGNMENT) int8_t arena[{0}_ARENA_BYTES];\n", project.upper);
            continue;
        }
        const graph::Tensor& tensor = tensor_of(project, p.tensor);
        storage += fmt::format("static _Alignas(16) {} {}[{}];\n", c_type_of(tensor.type), p.name, tensor.elements());
        if (p.role == EntryParameter::Role::input) {
            inputs += fmt::format(
                "        const size_t got_{0} = fread({0}, 1, sizeof {0}, stdin);\n"
                "        if (got_{0} != sizeof {0}) {{\n"
                "            return {1};\n"
                "        }}\n",
                p.name, inputs.empty() ? fmt::format("got_{} == 0 ? 0 : truncated()", p.name) : "truncated()");
        } else {
            outputs += fmt::format(
                "        if (fwrite({0}, 1, sizeof {0}, stdout) != sizeof {0}) {{\n            return 2;\n        }}\n",
                p.name);
        }
    }
    std::string text = banner(project);
    text +=
        "// Reads raw inputs from standard input, one inference after another, and writes each one's raw outputs to "
        "standard\n"
        "// output, until the input ends. Exit status: 0, 1 if the input ends in the middle, 2 if writing fails.\n"
        "#include <stdio.h>\n\n";
    text += fmt::format("#include \"{}.h\"\n\n{}\n", project.prefix, storage);
    text += fmt::format(
        "static int truncated(void) {{\n"
        "    fputs(\"{}: the input ends in the middle of an inference\\n\", stderr);\n"
        "    return 1;\n"
        "}}\n\n",
        project.prefix);
    text += "int main(void) {\n    for (;;) {\n" + inputs;
    text += fmt::format("        {}_invoke({});\n", project.prefix, arguments);
    return text + outputs + "    }\n}\n";
}

std::string build_file(const Project& project, const std::vector<std::string>& sources) {
    std::string text = banner(project, "#");
    text += fmt::format("cmake_minimum_required(VERSION 3.16)\nproject({} LANGUAGES C)\n\n", project.prefix);
    text += fmt::format("add_library({} STATIC\n", project.prefix);
    for (const std::string& source : sources) {
        text += "  " + source + "\n";
    }
    text += fmt::format(
        ")\n"
        "target_include_directories({0} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})\n"
        "target_compile_features({0} PUBLIC c_std_11)\n"
        "set_target_properties({0} PROPERTIES C_EXTENSIONS OFF)\n\n"
        "option({1}_EXAMPLE \"Build the program that runs inferences from standard input\" ON)\n"
        "if({1}_EXAMPLE)\n"
        "  add_executable({0}_main example/{0}_main.c)\n"
        "  target_link_libraries({0}_main PRIVATE {0})\n"
        "endif()\n",
        project.prefix, project.upper);
    return text;
}

}  // namespace

std::string describe(const graph::Tensor& tensor) {
    std::string text = fmt::format("{} [{}]", graph::name_of(tensor.type), fmt::join(tensor.shape, ", "));
    if (tensor.quantization && !tensor.quantization->per_channel()) {
        text += fmt::format(", scale {:.9g}, zero point {}", scale_of(tensor), zero_point_of(tensor));
    }
    return text;
}

std::string parameter(const graph::Tensor& tensor, const std::string& name, bool is_output) {
    return fmt::format("{}{} {}[static {}]", is_output ? "" : "const ", c_type_of(tensor.type), name,
                       tensor.elements());
}

std::string banner(const Project& project, const std::string& comment_mark) {
    std::string text = fmt::format("{} Generated by Metamorph {}", comment_mark, METAMORPH_VERSION);
    if (!project.options.model_file.empty()) {
        text += fmt::format(" from {}", project.options.model_file);
    }
    text += ". Do not edit.\n";
    if (!project.options.model_sha256.empty()) {
        text += fmt::format("{} Model SHA-256: {}\n", comment_mark, project.options.model_sha256);
    }
    text += fmt::format("{} Options: generator native, prefix {}\n", comment_mark, project.prefix);
    if (!project.options.command.empty()) {
        text += fmt::format("{} Regenerate: {}\n", comment_mark, project.options.command);
    }
    return text + "\n";
}

void write_project(const Project& project, GeneratedCode& code) {
    const std::string& p = project.prefix;
    code.header = p + ".h";
    code.layers_header = p + "_layers.h";
    code.entry = p + "_invoke";
    code.example = "example/" + p + "_main.c";
    code.include_dir = ".";
    code.files[code.header] = public_header(project);
    code.files[code.layers_header] = layers_header(project);
    code.files[p + "_weights.h"] = weights_header(project);
    const bool softmax =
        std::any_of(project.graph.operators.begin(), project.graph.operators.end(),
                    [](const graph::Operator& op) { return std::holds_alternative<graph::Softmax>(op.attributes); });
    code.files[p + "_arithmetic.h"] = arithmetic_header(banner(project), p, project.upper, softmax);
    const auto add_source = [&](const std::string& path, std::string text) {
        code.files[path] = std::move(text);
        code.sources.push_back(path);
    };
    code.entry_source = p + ".c";
    add_source(code.entry_source, entry_file(project));
    for (const Layer& layer : project.layers) {
        add_source(layer.function + ".c", layer_file(project, layer));
        if (!layer.constants.empty()) {
            add_source(layer.function + "_weights.c", weights_file(project, layer));
        }
    }
    std::sort(code.sources.begin(), code.sources.end());
    code.files[code.example] = example_file(project);
    code.files["CMakeLists.txt"] = build_file(project, code.sources);
}

}  // namespace metamorph::generate::native

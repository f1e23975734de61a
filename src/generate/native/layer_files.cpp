// The files that belong to single layers: code, constants, and the two internal headers that declare them.
#include <algorithm>

#include "generate/native/project.h"

namespace metamorph::generate::native {
namespace {

std::int64_t bytes_of(const Constant& constant) {
    return static_cast<std::int64_t>(constant.values.size()) * (constant.c_type == "int8_t" ? 1 : 4);
}

std::string declaration(const Constant& constant) {
    return fmt::format("const {} {}[{}]", constant.c_type, constant.name, constant.values.size());
}

enum class Rounds { all, given };  // of the outer loop

std::string prototype(const Project& project, const Layer& layer, Rounds rounds) {
    std::vector<std::string> parameters;
    for (const Port& port : layer.ports) {
        parameters.push_back(
            parameter(project.graph.tensors[static_cast<std::size_t>(port.tensor)], port.name, port.is_output));
    }
    if (rounds == Rounds::given) {
        parameters.insert(parameters.end(), {"int32_t first", "int32_t end"});
    }
    std::string text = fmt::format("void {}(", rounds == Rounds::all ? layer.function : rows_function(layer));
    std::size_t column = text.size();
    const std::string indent(text.size(), ' ');
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string piece = parameters[i] + (i + 1 < parameters.size() ? "," : ")");
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

std::string title(const Project& project, const Layer& layer) {
    if (layer.operator_index < 0) {
        return "Copy of a tensor that the caller asked for a second time.";
    }
    const graph::Operator& op = project.graph.operators[static_cast<std::size_t>(layer.operator_index)];
    std::string text = fmt::format("{}, operator {} of the model", graph::name_of(op), op.model_index);
    if (op.model_index != layer.operator_index) {
        text += fmt::format(" (step {} here)", layer.operator_index);
    }
    return text + ".";
}

std::string function_comment(const Project& project, const Layer& layer) {
    std::string text = "// " + title(project, layer) + "\n//\n";
    std::int64_t read = 0;
    std::int64_t written = 0;
    for (const Port& port : layer.ports) {
        const graph::Tensor& tensor = project.graph.tensors[static_cast<std::size_t>(port.tensor)];
        (port.is_output ? written : read) += tensor.bytes();
        text += fmt::format("//   {:<8} {}\n", port.name, describe(tensor));
    }
    std::int64_t constants = 0;
    for (const Constant& constant : layer.constants) {
        constants += bytes_of(constant);
    }
    const std::int64_t macs =
        layer.operator_index < 0
            ? 0
            : graph::macs(project.graph, project.graph.operators[static_cast<std::size_t>(layer.operator_index)]);
    text += fmt::format("//   cost     {} multiply-accumulates, {} bytes of constants\n//\n", macs, constants);
    for (const std::string& note : layer.notes) {
        text += "// " + note + "\n";
    }
    text += fmt::format(
        "// Reads {} bytes through its inputs; writes all {} bytes of output, each exactly once, and nothing else.\n",
        read, written);
    text += "// Running it again is safe: output overlaps no input, so a second run reads and writes the same.\n";
    if (layer.outer_loop) {
        text += fmt::format("// {} does {} [first, end) of {} alone, {} B of output each.\n", rows_function(layer),
                            layer.outer_loop->unit, layer.outer_loop->rounds, written / layer.outer_loop->rounds);
    }
    return text;
}

// The whole layer is all rounds of its outer loop.
std::string all_rounds(const Project& project, const Layer& layer) {
    std::string arguments;
    for (const Port& port : layer.ports) {
        arguments += port.name + ", ";
    }
    return fmt::format("\n{} {{\n    {}({}0, {});\n}}\n", prototype(project, layer, Rounds::all), rows_function(layer),
                       arguments, layer.outer_loop->rounds);
}

}  // namespace

std::string rows_function(const Layer& layer) {
    return layer.function + "_rows";
}

std::string layer_file(const Project& project, const Layer& layer) {
    std::string text = banner(project);
    text += fmt::format("#include <stdint.h>\n\n#include \"{0}_arithmetic.h\"\n#include \"{0}_layers.h\"\n",
                        project.prefix);
    if (!layer.constants.empty()) {
        text += fmt::format("#include \"{}_weights.h\"\n", project.prefix);
    }
    text += "\n" + function_comment(project, layer);
    text +=
        prototype(project, layer, layer.outer_loop ? Rounds::given : Rounds::all) + " {\n" + layer.body.text() + "}\n";
    return layer.outer_loop ? text + all_rounds(project, layer) : text;
}

std::string weights_file(const Project& project, const Layer& layer) {
    std::string text = banner(project);
    text += fmt::format("// Constants of {}.\n#include \"{}_weights.h\"\n\n// clang-format off\n", layer.function,
                        project.prefix);
    for (const Constant& constant : layer.constants) {
        const std::size_t per_line = constant.c_type == "int8_t" ? 20 : 10;
        text += fmt::format("\n// {}\n{} {}_CONST = {{", constant.note, declaration(constant), project.upper);
        for (std::size_t i = 0; i < constant.values.size(); ++i) {
            text += i % per_line == 0 ? "\n    " : " ";
            text += int_literal(constant.values[i]);
            text += ',';
        }
        text += "\n};\n";
        text += fmt::format("_Static_assert(sizeof({0}) == {1}, \"{0} is {1} bytes\");\n", constant.name,
                            bytes_of(constant));
    }
    return text;
}

std::string layers_header(const Project& project) {
    std::string text = banner(project);
    text += fmt::format(
        "// The layers, one a file; {0}_invoke calls them in this order. Functions with the suffix _rows do a part\n// "
        "of one: rounds [first, end) of its outer loop.\n",
        project.prefix);
    text += fmt::format("#ifndef {0}_LAYERS_H\n#define {0}_LAYERS_H\n\n#include <stdint.h>\n\n", project.upper);
    for (const Layer& layer : project.layers) {
        text += prototype(project, layer, Rounds::all) + ";\n";
        if (layer.outer_loop) {
            text += prototype(project, layer, Rounds::given) + ";\n";
        }
    }
    return text + "\n#endif\n";
}

std::string weights_header(const Project& project) {
    std::string text = banner(project);
    text += fmt::format("#ifndef {0}_WEIGHTS_H\n#define {0}_WEIGHTS_H\n\n#include <stdint.h>\n\n", project.upper);
    text += fmt::format(
        "// Where constants live: define as __attribute__((section(\".name\"))) to place them; the compiler's "
        "read-only data\n"
        "// otherwise.\n#ifndef {0}_CONST\n#define {0}_CONST\n#endif\n",
        project.upper);
    for (const Layer& layer : project.layers) {
        if (layer.constants.empty()) {
            continue;
        }
        text += fmt::format("\n// {}\n", layer.function);
        for (const Constant& constant : layer.constants) {
            text += fmt::format("extern {};\n", declaration(constant));
        }
    }
    return text + "\n#endif\n";
}

}  // namespace metamorph::generate::native

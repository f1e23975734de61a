// The native generator: homes for tensors, an arena plan, one layer an operator, the calls of the entry, and files of
// it all. Knows nothing of tasks; what it emits is read back by the front end like anyone's C.
#include <algorithm>
#include <array>
#include <cassert>

#include "generate/generator.h"
#include "generate/native/prefix.h"
#include "generate/native/project.h"
#include "generate/storage.h"

namespace metamorph::generate {
namespace {

using native::Layer;
using native::LayerContext;
using native::Project;

std::vector<EntryParameter> entry_parameters(const graph::Graph& graph, std::int64_t arena_bytes) {
    std::vector<EntryParameter> parameters;
    const auto add = [&](const std::vector<graph::TensorId>& tensors, EntryParameter::Role role,
                         const std::string& name) {
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            parameters.push_back({role, tensors.size() == 1 ? name : fmt::format("{}_{}", name, i),
                                  graph.tensors[static_cast<std::size_t>(tensors[i])].bytes(), tensors[i]});
        }
    };
    add(graph.inputs, EntryParameter::Role::input, "input");
    add(graph.outputs, EntryParameter::Role::output, "output");
    if (arena_bytes > 0) {
        parameters.push_back({EntryParameter::Role::arena, "arena", arena_bytes, -1});
    }
    return parameters;
}

// Where tensors are when the entry runs: parameter and offset.
class Places {
public:
    Places(const graph::Graph& graph, const Storage& storage, const ArenaPlan& plan,
           const std::vector<EntryParameter>& parameters)
        : m_graph(graph), m_storage(storage), m_plan(plan), m_parameters(parameters) {}

    const Home& home(graph::TensorId tensor) const { return m_storage.homes[static_cast<std::size_t>(tensor)]; }

    int parameter(graph::TensorId tensor) const {
        const int inputs = static_cast<int>(m_graph.inputs.size());
        switch (home(tensor).kind) {
            case Home::Kind::input:
                return home(tensor).index;
            case Home::Kind::output:
                return inputs + home(tensor).index;
            case Home::Kind::arena:
                return static_cast<int>(m_parameters.size()) - 1;
            case Home::Kind::constant:
                break;
        }
        return -1;
    }

    std::int64_t offset(graph::TensorId tensor) const {
        for (const ArenaSlot& slot : m_plan.slots) {
            if (slot.tensor == home(tensor).group) {
                return slot.offset;
            }
        }
        return 0;
    }

    // The address as the entry spells it.
    std::string argument(graph::TensorId tensor, bool is_output) const {
        const std::string& name = m_parameters[static_cast<std::size_t>(parameter(tensor))].name;
        if (home(tensor).kind != Home::Kind::arena) {
            return name;
        }
        const std::string address = fmt::format("{} + {}", name, offset(tensor));
        const graph::DataType type = m_graph.tensors[static_cast<std::size_t>(tensor)].type;
        if (type == graph::DataType::int8) {
            return address;
        }
        const char* const qualifier = is_output ? "" : "const ";
        return fmt::format("({0}{1} *)({0}void *)({2})", qualifier, native::c_type_of(type), address);
    }

private:
    const graph::Graph& m_graph;
    const Storage& m_storage;
    const ArenaPlan& m_plan;
    const std::vector<EntryParameter>& m_parameters;
};

struct WriteLayer {
    Layer& layer;
    const LayerContext& c;
    Status operator()(const graph::Conv2D& a) const { return write_conv2d(layer, c, a); }
    Status operator()(const graph::DepthwiseConv2D& a) const { return write_depthwise_conv2d(layer, c, a); }
    Status operator()(const graph::FullyConnected& a) const { return write_fully_connected(layer, c, a); }
    Status operator()(const graph::Pool2D& a) const { return write_pool2d(layer, c, a); }
    Status operator()(const graph::Elementwise& a) const { return write_elementwise(layer, c, a); }
    Status operator()(const graph::Relu& a) const { return write_relu(layer, c, a); }
    Status operator()(const graph::Reshape&) const {
        const graph::Tensor& from = c.input(0);
        if (from.is_constant() && from.type != graph::DataType::int8 && from.type != graph::DataType::int32) {
            return fail(ErrorCode::model, c.where, "reshaping a {} constant is not supported",
                        graph::name_of(from.type));
        }
        write_copy(layer, c, c.op.inputs[0], c.op.outputs[0]);
        return {};
    }
    Status operator()(const graph::Softmax& a) const { return write_softmax(layer, c, a); }
    Status operator()(const graph::Pad& a) const { return write_pad(layer, c, a); }
    Status operator()(const graph::Mean& a) const { return write_mean(layer, c, a); }
    Status operator()(const graph::Concatenation& a) const { return write_concatenation(layer, c, a); }
    Status operator()(const graph::Quantize&) const { return write_quantize(layer, c); }
    Status operator()(const graph::Dequantize&) const { return write_dequantize(layer, c); }
};

std::vector<std::string> arguments_of(const Layer& layer, const Places& places) {
    std::vector<std::string> arguments;
    for (const native::Port& port : layer.ports) {
        arguments.push_back(places.argument(port.tensor, port.is_output));
    }
    return arguments;
}

EntryCall entry_call(const Project& project, const Layer& layer, const std::vector<std::string>& arguments) {
    EntryCall call{layer.operator_index, layer.function, arguments, {}, layer.why_no_slices, 0, 0};
    if (layer.outer_loop) {
        call.outer_loop = {native::rows_function(layer), layer.outer_loop->rounds, layer.outer_loop->unit};
        call.why_no_slices.clear();
    } else if (call.why_no_slices.empty()) {
        call.why_no_slices = "it computes a single value";
    }
    call.output_bytes = project.graph.tensors[static_cast<std::size_t>(layer.ports.back().tensor)].bytes();
    if (layer.operator_index >= 0) {
        call.macs = graph::macs(project.graph, project.graph.operators[static_cast<std::size_t>(layer.operator_index)]);
    }
    return call;
}

void add_call(Project& project, GeneratedCode& code, Layer layer, std::vector<std::string> arguments) {
    code.calls.push_back(entry_call(project, layer, arguments));
    project.calls.push_back({project.layers.size(), std::move(arguments)});
    project.layers.push_back(std::move(layer));
}

Status add_operator(Project& project, GeneratedCode& code, const Places& places, const Storage& storage, int index) {
    const graph::Operator& op = project.graph.operators[static_cast<std::size_t>(index)];
    const graph::TensorId result = op.outputs[0];
    OperatorOutput output{index, "", places.parameter(result), places.offset(result),
                          project.graph.tensors[static_cast<std::size_t>(result)].bytes()};
    const std::string where = fmt::format("operator {} ({})", op.model_index, graph::name_of(op));
    if (storage.is_alias[static_cast<std::size_t>(index)]) {
        project.entry_notes.push_back(
            fmt::format("Operator {} ({}) has no call: its result is its input's bytes under another shape.",
                        op.model_index, graph::name_of(op)));
    } else {
        Layer layer;
        layer.operator_index = index;
        layer.function = native::function_name(project.prefix, project.graph, index);
        const LayerContext context{project.graph, op, project.prefix, where};
        MM_CHECK(std::visit(WriteLayer{layer, context}, op.attributes));
        output.function = layer.function;
        std::vector<std::string> arguments = arguments_of(layer, places);
        add_call(project, code, std::move(layer), std::move(arguments));
    }
    code.operator_outputs.push_back(std::move(output));
    return {};
}

// A graph output that no operator writes into its parameter: given twice, or a graph input or constant itself.
void add_output_copy(Project& project, GeneratedCode& code, const Places& places, int output) {
    const graph::TensorId tensor = project.graph.outputs[static_cast<std::size_t>(output)];
    Layer layer;
    layer.function = fmt::format("{}_copy_to_output_{}", project.prefix, output);
    const graph::Operator none;
    write_copy(layer, LayerContext{project.graph, none, project.prefix, ""}, tensor, tensor);
    std::vector<std::string> arguments;
    for (const native::Port& port : layer.ports) {
        arguments.push_back(
            port.is_output ? project.parameters[project.graph.inputs.size() + static_cast<std::size_t>(output)].name
                           : places.argument(tensor, false));
    }
    add_call(project, code, std::move(layer), std::move(arguments));
}

}  // namespace

Result<GeneratedCode> generate_native(const graph::Graph& graph, const NativeOptions& options) {
    MM_CHECK(graph::verify(graph));
    GeneratedCode code;
    MM_TRY(code.prefix, native::choose_prefix(graph.name, options.prefix));
    Project project{graph, options, code.prefix, code.prefix, {}, plan_arena(graph), {}, {}, {}};
    for (char& c : project.upper) {
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    code.arena_bytes = project.plan.bytes;
    project.parameters = entry_parameters(graph, code.arena_bytes);
    code.parameters = project.parameters;
    const Storage storage = assign_homes(graph);
    const Places places(graph, storage, project.plan, project.parameters);
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        MM_CHECK(add_operator(project, code, places, storage, static_cast<int>(i)));
    }
    for (const int output : storage.copied_outputs) {
        add_output_copy(project, code, places, output);
    }
    write_project(project, code);
    return code;
}

}  // namespace metamorph::generate

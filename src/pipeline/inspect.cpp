#include "pipeline/inspect.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::pipeline {
namespace {

using graph::Graph;
using graph::Operator;
using nlohmann::ordered_json;

constexpr int k_drawing_columns = 64;

std::string shape_of(const Graph& graph, graph::TensorId id) {
    const graph::Tensor& tensor = graph.tensors[static_cast<std::size_t>(id)];
    return fmt::format("{}[{}]", graph::name_of(tensor.type), fmt::join(tensor.shape, "x"));
}

std::string inputs_of(const Graph& graph, const Operator& op) {
    std::vector<std::string> shapes;
    for (graph::TensorId id : op.inputs) {
        if (id >= 0 && !graph.tensors[static_cast<std::size_t>(id)].is_constant()) {
            shapes.push_back(shape_of(graph, id));
        }
    }
    return fmt::format("{}", fmt::join(shapes, " + "));
}

// Layer number of each operator, as --tasks counts; -1: no code.
std::vector<int> layer_numbers(const generate::GeneratedCode& code) {
    std::vector<int> numbers;
    int next = 0;
    for (const generate::OperatorOutput& output : code.operator_outputs) {
        numbers.push_back(output.function.empty() ? -1 : next++);
    }
    return numbers;
}

// Of an operator's layer; nullptr where it cannot be sliced.
const generate::OuterLoop* outer_loop(const generate::GeneratedCode& code, std::size_t op) {
    for (const generate::EntryCall& call : code.calls) {
        if (call.operator_index == static_cast<int>(op)) {
            return call.outer_loop ? &*call.outer_loop : nullptr;
        }
    }
    return nullptr;
}

std::string layers_text(const Inspection& i) {
    const Graph& graph = i.model.graph;
    const std::vector<int> numbers = layer_numbers(i.code);
    std::string text = fmt::format("{:>5}  {:<20} {:<26} {:<20} {:>12} {:>10}  {}\n", "layer", "operator", "input",
                                   "output", "MACs", "weights B", "slices");
    for (std::size_t o = 0; o < graph.operators.size(); ++o) {
        const Operator& op = graph.operators[o];
        const generate::OuterLoop* loop = outer_loop(i.code, o);
        text += fmt::format(
            "{:>5}  {:<20} {:<26} {:<20} {:>12} {:>10}  {}\n", numbers[o] < 0 ? "-" : std::to_string(numbers[o]),
            graph::name_of(op), inputs_of(graph, op), shape_of(graph, op.outputs.front()), graph::macs(graph, op),
            graph::constant_bytes(graph, op), loop ? fmt::format("{} {}", loop->rounds, loop->unit) : "-");
    }
    return text;
}

// A row a tensor in the arena: where it lies (columns) while it lives (operators).
std::string arena_text(const Inspection& i) {
    std::string text =
        fmt::format("arena {} B (no plan can be below {} B); each row is a tensor, left to right its place\n",
                    i.arena.bytes, i.arena.bytes_lower_bound);
    const double bytes_per_column = static_cast<double>(std::max<std::int64_t>(i.arena.bytes, 1)) / k_drawing_columns;
    for (const generate::ArenaSlot& slot : i.arena.slots) {
        const auto column = [&](std::int64_t offset) {
            return static_cast<int>(static_cast<double>(offset) / bytes_per_column);
        };
        const int begin = std::min(column(slot.offset), k_drawing_columns - 1);
        const int end = std::min(std::max(begin + 1, column(slot.offset + slot.bytes)), k_drawing_columns);
        std::string row(static_cast<std::size_t>(begin), '.');
        row += std::string(static_cast<std::size_t>(end - begin), '#');
        row.resize(k_drawing_columns, '.');
        text += fmt::format("  |{}| {:>8} +{:<8} operators {}..{}\n", row, slot.offset, slot.bytes, slot.first_operator,
                            slot.last_operator);
    }
    return text;
}

struct Totals {
    std::int64_t macs = 0, weights = 0;
    int layers = 0;
};

Totals totals(const Inspection& i) {
    Totals sum;
    for (const Operator& op : i.model.graph.operators) {
        sum.macs += graph::macs(i.model.graph, op);
        sum.weights += graph::constant_bytes(i.model.graph, op);
    }
    const std::vector<int> numbers = layer_numbers(i.code);
    sum.layers = static_cast<int>(std::count_if(numbers.begin(), numbers.end(), [](int n) { return n >= 0; }));
    return sum;
}

ordered_json tensors_json(const Graph& graph, const std::vector<graph::TensorId>& ids) {
    ordered_json list = ordered_json::array();
    for (graph::TensorId id : ids) {
        const graph::Tensor& tensor = graph.tensors[static_cast<std::size_t>(id)];
        list.push_back({{"name", tensor.name},
                        {"type", graph::name_of(tensor.type)},
                        {"shape", tensor.shape},
                        {"bytes", tensor.bytes()}});
    }
    return list;
}

}  // namespace

Result<Inspection> inspect(const std::filesystem::path& model) {
    Inspection inspection;
    MM_TRY(inspection.model, import_model(model));
    MM_TRY(inspection.code, generate_code(inspection.model, ""));
    inspection.arena = generate::plan_arena(inspection.model.graph);
    return inspection;
}

std::string text_of(const Inspection& inspection) {
    const Totals sum = totals(inspection);
    return fmt::format("{} (SHA-256 {})\n\n{}\n{} layers, {} MACs, {} B of weights\n\n{}", inspection.model.file_name,
                       inspection.model.sha256, layers_text(inspection), sum.layers, sum.macs, sum.weights,
                       arena_text(inspection));
}

ordered_json json_of(const Inspection& inspection) {
    const Graph& graph = inspection.model.graph;
    const Totals sum = totals(inspection);
    const std::vector<int> numbers = layer_numbers(inspection.code);
    ordered_json json{{"schema", "metamorph-inspect-1"},
                      {"model", inspection.model.file_name},
                      {"model_sha256", inspection.model.sha256},
                      {"layers", sum.layers},
                      {"macs", sum.macs},
                      {"weight_bytes", sum.weights},
                      {"arena_bytes", inspection.arena.bytes},
                      {"arena_bytes_lower_bound", inspection.arena.bytes_lower_bound},
                      {"inputs", tensors_json(graph, graph.inputs)},
                      {"outputs", tensors_json(graph, graph.outputs)},
                      {"operators", ordered_json::array()},
                      {"arena", ordered_json::array()}};
    for (std::size_t o = 0; o < graph.operators.size(); ++o) {
        const Operator& op = graph.operators[o];
        const generate::OuterLoop* loop = outer_loop(inspection.code, o);
        json["operators"].push_back({{"operator", graph::name_of(op)},
                                     {"layer", numbers[o] < 0 ? ordered_json(nullptr) : ordered_json(numbers[o])},
                                     {"function", inspection.code.operator_outputs[o].function},
                                     {"outputs", tensors_json(graph, op.outputs)},
                                     {"macs", graph::macs(graph, op)},
                                     {"constant_bytes", graph::constant_bytes(graph, op)},
                                     {"slices_max", loop != nullptr ? loop->rounds : 1},
                                     {"slice_unit", loop != nullptr ? loop->unit : ""}});
    }
    for (const generate::ArenaSlot& slot : inspection.arena.slots) {
        json["arena"].push_back({{"tensor", slot.tensor},
                                 {"offset", slot.offset},
                                 {"bytes", slot.bytes},
                                 {"first_operator", slot.first_operator},
                                 {"last_operator", slot.last_operator}});
    }
    return json;
}

}  // namespace metamorph::pipeline

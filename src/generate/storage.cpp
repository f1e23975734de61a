// One pass over the operators in execution order: the home of an operator's inputs is known when the operator is
// reached. What decides a group's home early is looked up ahead: a chain of Reshapes that ends in a graph output gives
// that output's parameter to the producer at the chain's start.
#include "generate/storage.h"

#include <algorithm>

namespace metamorph::generate {
namespace {

int first_position(const std::vector<graph::TensorId>& list, graph::TensorId tensor) {
    const auto found = std::find(list.begin(), list.end(), tensor);
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

bool is_reshape(const graph::Operator& op) {
    return std::holds_alternative<graph::Reshape>(op.attributes);
}

// The first graph output that `tensor` is, or that Reshapes make of it from operator `from` on; -1: none.
int output_reached(const graph::Graph& graph, graph::TensorId tensor, std::size_t from) {
    std::vector<graph::TensorId> same{tensor};
    if (const int own = first_position(graph.outputs, tensor); own >= 0) {
        return own;
    }
    for (std::size_t i = from; i < graph.operators.size(); ++i) {
        const graph::Operator& op = graph.operators[i];
        if (!is_reshape(op) || first_position(same, op.inputs[0]) < 0) {
            continue;
        }
        same.push_back(op.outputs[0]);
        if (const int reached = first_position(graph.outputs, op.outputs[0]); reached >= 0) {
            return reached;
        }
    }
    return -1;
}

}  // namespace

Storage assign_homes(const graph::Graph& graph) {
    Storage storage;
    storage.homes.resize(graph.tensors.size());
    storage.is_alias.assign(graph.operators.size(), false);
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        Home& home = storage.homes[t];
        home.group = static_cast<graph::TensorId>(t);
        if (const int input = first_position(graph.inputs, home.group); input >= 0) {
            home.kind = Home::Kind::input;
            home.index = input;
        } else if (graph.tensors[t].is_constant()) {
            home.kind = Home::Kind::constant;
        }
    }
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const graph::Operator& op = graph.operators[i];
        for (const graph::TensorId result : op.outputs) {
            Home& home = storage.homes[static_cast<std::size_t>(result)];
            const int own_output = first_position(graph.outputs, result);
            if (is_reshape(op)) {
                const Home& source = storage.homes[static_cast<std::size_t>(op.inputs[0])];
                const bool serves_output =
                    own_output < 0 || (source.kind == Home::Kind::output && source.index == own_output);
                if (source.kind != Home::Kind::constant && serves_output) {
                    home = source;
                    storage.is_alias[i] = true;
                    continue;
                }
            }
            const int reached = output_reached(graph, result, i + 1);
            home.kind = reached >= 0 ? Home::Kind::output : Home::Kind::arena;
            home.index = std::max(reached, 0);
        }
    }
    for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
        const Home& home = storage.homes[static_cast<std::size_t>(graph.outputs[k])];
        if (home.kind != Home::Kind::output || home.index != static_cast<int>(k)) {
            storage.copied_outputs.push_back(static_cast<int>(k));
        }
    }
    return storage;
}

}  // namespace metamorph::generate

// Where each tensor of a graph lives while the generated code runs: a constant array, a parameter of the inference
// entry, or the arena. Reshape is no work: its result is the same bytes under another shape, so tensors joined by
// Reshapes form one *storage group* with one home.
//
// A group's home is, in this order: the graph input in it; the first graph output in it, which its producer then writes
// directly; the arena. A Reshape joins its tensors only where one home serves both. It does not from a constant, nor
// where its result is a graph output and its input already has a parameter as home: there it is a copy, with a function
// of its own.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace metamorph::generate {

struct Home {
    enum class Kind { constant, input, output, arena } kind = Kind::arena;
    int index = 0;               // of the graph input or output
    graph::TensorId group = -1;  // representative of the storage group; the tensor itself where it is alone
};

struct Storage {
    std::vector<Home> homes;     // one a tensor
    std::vector<bool> is_alias;  // one an operator: a Reshape that needs no code
    std::vector<int>
        copied_outputs;  // graph outputs that are not written by an operator (given twice, or an input): copied last
};

Storage assign_homes(const graph::Graph& graph);

}  // namespace metamorph::generate

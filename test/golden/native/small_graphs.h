// Small graphs made by hand, one a family of operators: for golden files and for unit tests of the generator.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace metamorph::test {

struct SmallGraph {
    std::string name;  // also the folder of its golden files
    graph::Graph graph;
};

// convolutions, classifier, elementwise, movement: together every operator the generator knows.
std::vector<SmallGraph> small_graphs();

}  // namespace metamorph::test

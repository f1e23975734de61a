// One operator of a TensorFlow Lite file → the attributes and inputs that the graph has for it.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "import/tflite/tflite_file.h"

namespace metamorph::import {

// An operator whose tensor ids are known to be in range.
struct TfliteOperator {
    const TfliteFile& file;
    const schema::Operator& table;
    std::string where;                 // "operator 3 (CONV_2D)"
    std::vector<int> inputs, outputs;  // ids of the model's tensors; -1: absent
};

struct ConvertedOperator {
    graph::Attributes attributes;
    std::vector<int> inputs;  // ids of the model's tensors; those folded into attributes are gone
};

// Errors (model): not supported (names what is), options that are absent or contradict the tensors, operands that must
// be constant and are not.
Result<ConvertedOperator> convert_operator(schema::BuiltinOperator code, const std::string& name,
                                           const TfliteOperator& op);

// "ADD, AVERAGE_POOL_2D, …", alphabetically.
std::string supported_operators();

}  // namespace metamorph::import

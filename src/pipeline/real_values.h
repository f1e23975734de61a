// Inputs and outputs of one network in the formats of several generators: real values, or int8 with scale and zero
// point.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "report/comparison.h"
#include "util/result.h"

namespace metamorph::pipeline {

// real = scale * (q - zero_point)
struct Int8Scale {
    float scale = 1;
    std::int64_t zero_point = 0;
};
// Of an int8 tensor that is quantised as a whole; nothing: it is another one.
std::optional<Int8Scale> int8_scale(const graph::Tensor& tensor);

// int8 values, one a byte, as float32, little-endian, four bytes a value.
std::string floats_of(const std::string& quantised, Int8Scale scale);

// What the values of one output are; `scale` nothing: float32.
struct OutputFormat {
    std::size_t values = 0;  // an inference
    std::optional<Int8Scale> scale;
};
// An inference's output bytes as real values; nothing where their number is not the format's.
std::optional<std::vector<double>> values_of(const std::string& bytes, const OutputFormat& format);

// Index of the greatest value, the first of equal ones; -1 of none.
int answer_of(const std::vector<double>& values);

struct Outputs {
    std::vector<std::string> bytes;  // of each inference
    OutputFormat format;
};
report::OutputDifference difference_of(const Outputs& outputs, const Outputs& reference);

}  // namespace metamorph::pipeline

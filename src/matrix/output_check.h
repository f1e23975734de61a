// Outputs beside those that are expected: the same bytes, near enough, or at least the same answer.
#pragma once

#include <optional>
#include <string>

#include "matrix/run_result.h"

namespace metamorph::matrix {

// Of pairs of hexadecimal digits; ends at what is none.
std::string bytes_of(const std::string& hexadecimal);

// Raw bytes of all inferences; `is_float`: the expected ones are float32, else int8. Where the actual ones are of the
// other type (four times, or a quarter of the bytes), only the answers are compared, and none is within the tolerance
// unless all are the same. Nothing: the sizes do not go together.
std::optional<OutputCheck> compare_outputs(const std::string& expected, const std::string& actual, bool is_float,
                                           int inferences, double tolerance);

}  // namespace metamorph::matrix

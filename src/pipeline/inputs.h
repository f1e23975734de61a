// Where a run's inputs come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "util/result.h"

namespace metamorph::pipeline {

// `bytes` pseudo-random bytes: x = seed; for each byte x = x * 1664525 + 1013904223 mod 2^32, byte = x >> 24 (the
// generator of Numerical Recipes; the same on every machine).
std::string random_inputs(std::uint64_t seed, std::size_t bytes);

// The same for inferences of `bytes_each`, but that `floats` ([begin, end) of each inference's bytes) hold float32 from
// -1 up to, not including, 1, made of the first three bytes of each: bytes at random would be infinite or no number
// here and there, and hide what goes wrong behind them.
std::string random_inferences(std::uint64_t seed, int inferences, std::size_t bytes_each,
                              const std::vector<std::pair<std::int64_t, std::int64_t>>& floats);

// The first inferences * bytes_each bytes of a file. Errors: options (too short, with the numbers), system.
Result<std::string> file_inputs(const std::filesystem::path& path, int inferences, std::size_t bytes_each);

}  // namespace metamorph::pipeline

// Where a run's inputs come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "util/result.h"

namespace metamorph::pipeline {

// `bytes` pseudo-random bytes: x = seed; for each byte x = x * 1664525 + 1013904223 mod 2^32, byte = x >> 24 (the
// generator of Numerical Recipes; the same on every machine).
std::string random_inputs(std::uint64_t seed, std::size_t bytes);

// The first inferences * bytes_each bytes of a file. Errors: options (too short, with the numbers), system.
Result<std::string> file_inputs(const std::filesystem::path& path, int inferences, std::size_t bytes_each);

}  // namespace metamorph::pipeline

// The shape in the head of a NumPy file (.npy), which sample inputs are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::generate::ai8x {

struct NpyHead {
    std::vector<std::int64_t> shape;  // empty: a single number
    std::string type;                 // as NumPy writes it: "<i8"
};

// Errors: system (unreadable), model (no such file, or a damaged one).
Result<NpyHead> read_npy_head(const std::filesystem::path& path);

}  // namespace metamorph::generate::ai8x

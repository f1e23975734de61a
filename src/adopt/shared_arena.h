// The locals that steps share, as bytes of one arena: two that are never alive at the same time may have the same ones.
#pragma once

#include <cstdint>
#include <vector>

#include "cfront/entry_source.h"

namespace metamorph::adopt {

inline constexpr std::int64_t k_arena_alignment = 16;

struct SharedArena {
    std::vector<std::int64_t> offsets;  // a local each
    std::int64_t bytes = 0;
};

// Largest first, at the lowest offset that is free.
SharedArena plan_shared(const std::vector<cfront::SharedLocal>& locals);

}  // namespace metamorph::adopt

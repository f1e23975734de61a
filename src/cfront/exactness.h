// How much is known of what a step does, where several ways of looking at it are all right.
#pragma once

#include <vector>

#include "cfront/code_model.h"

namespace metamorph::cfront {

bool is_exact(const std::vector<Access>& accesses);

// Of two findings of the same step: whether the first says more, and nowhere less.
bool is_better(const std::vector<Access>& a, const std::vector<Access>& b);

}  // namespace metamorph::cfront

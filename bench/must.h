// A benchmark that cannot go on ends its program: figures of work that failed are worse than none.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "util/result.h"

namespace metamorph {

[[noreturn]] inline void give_up(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

// The value, or the end of the program with what the error says.
template <typename T>
T must(Result<T> result) {
    if (!result) {
        give_up(describe(result.error()));
    }
    return std::move(*result);
}

}  // namespace metamorph

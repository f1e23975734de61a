// The flags of ai8xize.py that a user may hand on: which part of a split network each is for, which are refused, and
// which exclude each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::generate::ai8x {

struct GivenFlag {
    enum class Scope {
        all,    // of every part
        first,  // of the part that takes the network's input
        last    // of the part that makes its output
    };
    std::string name;
    std::optional<std::string> value;
    Scope scope = Scope::all;
};

// Sorts out what the user wants handed on, word by word ("--timer", "0", "--boost=2.5"). `parts`: how many parts there
// are. Errors: options, naming the flag: unknown (with the nearest), without its value, one that Metamorph sets itself,
// one whose output cannot be woven or that fits no split network (with the reason), two that exclude each other.
Result<std::vector<GivenFlag>> read_flags(const std::vector<std::string>& words, int parts);

bool has_flag(const std::vector<GivenFlag>& flags, const std::string& name);

}  // namespace metamorph::generate::ai8x

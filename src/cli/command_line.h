// argv → command → exit status. All text goes through `out` and `err`, so that a test can read it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace metamorph::cli {

struct Doors {
    std::function<void(std::string_view)> out, err;
    int width = 80;  // columns of the help
};

// Parses `arguments` (without the program's name), carries the command out, prints what goes wrong. Returns the exit
// status: 0, or the number of an ErrorCode. With --json, an error is a JSON document on `out`; without, text on `err`.
int run_command_line(const std::vector<std::string>& arguments, const Commands& commands, const Doors& doors);

}  // namespace metamorph::cli

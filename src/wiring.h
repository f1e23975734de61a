// The commands as main() wires them: each turns its options into a request to the pipeline and prints what comes back.
#pragma once

#include "cli/commands.h"

namespace metamorph::cli {

Commands real_commands();

}  // namespace metamorph::cli

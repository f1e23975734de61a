// What a library can be built for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/library.h"
#include "libraries/target.h"

namespace metamorph::libraries {

// "for the core cortex-m4f, the toolchain gcc"; "for all targets".
std::string print(const app::TargetSet& set);

// Why it cannot be built for a target, as a sentence: it, or a library that it needs, is for others; nothing where it
// can. `features` are those that are asked for. Libraries that `all` lacks are no reason here: units_for tells of them.
std::optional<std::string> why_not(const app::Library& library, const std::vector<app::Library>& all,
                                   const Target& target, const std::vector<std::string>& features);

}  // namespace metamorph::libraries

// Which definitions of the parts' programs are the same in all of them, and so need be there only once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "parts/part_source.h"

namespace metamorph::parts {

// Names of functions that can be shared: defined in all parts with the same text, and all that they refer to is the
// same, too: functions and variables that can be shared, and macros with the same meaning. None where there is but one
// part. `cnn_time` counts as shared: it exists once.
std::set<std::string> shared_functions(const std::vector<PartSource>& parts);

// Functions and variables that a definition refers to, through others, too, and itself.
std::set<std::string> reached_from(const PartSource& part, const std::vector<std::string>& roots);

inline constexpr const char* k_stopwatch = "cnn_time";

}  // namespace metamorph::parts

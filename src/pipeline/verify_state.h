// The file that an interrupted `metamorph verify` leaves, to be gone on from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::pipeline {

// What a search of one device was about, and what it had found out (verify/crash_graph.h).
struct SearchOfDevice {
    std::string device;    // its name
    std::string firmware;  // SHA-256 of all that runs on it: program, board, inputs
    std::string method;    // "graph", "depth 1"
    std::string state;
};

// Errors: system.
Status write_states(const std::filesystem::path& path, const std::vector<SearchOfDevice>& searches);
// Errors: options (no such file, or it is damaged, or of another version of metamorph).
Result<std::vector<SearchOfDevice>> read_states(const std::filesystem::path& path);

// The state to go on from; empty: the file has none of this device, whose turn had not come. Errors: options (it is of
// another program or of other options).
Result<std::string> state_for(const SearchOfDevice& now, const std::vector<SearchOfDevice>& searches);

}  // namespace metamorph::pipeline

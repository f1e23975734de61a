// The file that an interrupted `metamorph verify` leaves, to be gone on from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "emu/trace.h"
#include "util/result.h"

namespace metamorph::pipeline {

// What a search of one device was about, and what it had found out (verify/crash_graph.h).
struct SearchOfDevice {
    std::string device;    // its name
    std::string firmware;  // SHA-256 of all that runs on it: program, board, inputs
    std::string method;    // "graph", "depth 1", "one by one, depth 1, cut every"
    std::string state;
};

// Writes the file, and tells how to go on; or why it is not written. `done`: what was, as in "12 boots".
Error leave_states(const std::filesystem::path& path, const std::vector<SearchOfDevice>& searches,
                   const std::string& done);
// Errors: options (no such file, or it is damaged, or of another version of metamorph, or of none of the devices).
Result<std::vector<SearchOfDevice>> read_states(const std::filesystem::path& path,
                                                const std::vector<std::string>& devices);

// What is looked for now, with the state to go on from; empty: `earlier` has none of this device, whose turn had not
// come. Errors: options (it is of another program or of other options).
Result<SearchOfDevice> search_of(const std::string& device, const emu::Firmware& board, const std::string& method,
                                 const std::vector<SearchOfDevice>& earlier);

}  // namespace metamorph::pipeline

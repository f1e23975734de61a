// What the emulator has counted, as reports tell it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emu/program.h"
#include "emu/trace.h"
#include "report/verify_result.h"

namespace metamorph::pipeline {

report::Executed told(const emu::Counters& c);
// Of a program that has run on this board. Errors: model (not linked by a script of ours).
Result<report::MemoryUse> memory_of(const emu::Firmware& board, const emu::Program& program, const emu::PlainRun& run);
report::Executed difference(const emu::Counters& one, const emu::Counters& more);

// Of what `more` executed beyond `one`, by function, most first.
std::vector<std::pair<std::string, std::uint64_t>> by_function(
    const emu::Program& program, const std::vector<std::pair<std::uint32_t, std::uint64_t>>& one,
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& more);

}  // namespace metamorph::pipeline

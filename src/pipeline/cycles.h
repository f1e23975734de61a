// From what the emulator counts to cycles, time and energy, by the table of the core and the figures of the device
// (docs/cycles.md).
#pragma once

#include "app/device.h"
#include "emu/counters.h"
#include "report/verify_result.h"

namespace metamorph::pipeline {

// The key of a class in a core's table of costs.
const char* name_of(emu::InstructionClass which);

// Counters of `device`, with what they cost there. Linear: of a sum, the sum. Classes that the core's table does not
// price cost nothing: its instructions have none of them.
report::Executed priced(const emu::Counters& counted, const app::Device& device);

}  // namespace metamorph::pipeline

// A device description as the emulator wants it.
#pragma once

#include "app/device.h"
#include "emu/trace.h"

namespace metamorph::pipeline {

// Memories, core and board of a device that is not the host; no program, no inputs.
emu::Firmware board_of(const app::Device& device);

}  // namespace metamorph::pipeline

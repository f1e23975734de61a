// The state of a board as an ELF file that a debugger opens: memories at their addresses, registers in a note.
#pragma once

#include <filesystem>

#include "emu/program.h"
#include "emu/trace.h"
#include "util/result.h"
#include "verify/lives.h"

namespace metamorph::verify {

// An ELF core file (generic ELF, chapter "Core Files"; its note NT_PRSTATUS as Linux lays it out for the processor):
// the program's flash, SRAM and, if mapped, NVM at the end of `life`. Errors: system.
Status write_memory_image(const std::filesystem::path& path, const emu::Program& program, const Life& life,
                          const emu::Firmware& board);

}  // namespace metamorph::verify

// What the emulator has counted, as reports tell it: by function and by task, with what it costs on a device.
#pragma once

#include <string>
#include <vector>

#include "app/device.h"
#include "emu/program.h"
#include "emu/trace.h"
#include "report/verify_result.h"

namespace metamorph::pipeline {

// Of a program that has run on this board. Errors: model (not linked by a script of ours).
Result<report::MemoryUse> memory_of(const emu::Firmware& board, const emu::Program& program, const emu::PlainRun& run);

// Of what `more` executed beyond `one`, by function, most cycles first.
std::vector<report::ExecutedPart> by_function(const emu::Program& program, const app::Device& device,
                                              const emu::PlainRun& one, const emu::PlainRun& more);

// Of the last inference of `run`, by task: from the commit before to the task's own. Empty: the program has not
// committed so many tasks.
std::vector<report::ExecutedPart> by_task(const std::vector<std::string>& tasks, const app::Device& device,
                                          const emu::PlainRun& run);

}  // namespace metamorph::pipeline

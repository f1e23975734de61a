// The tables of a woven program for a board, read from its ELF file: tasks, what they commit, where homes are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/program.h"
#include "emu/trace.h"
#include "util/interval_set.h"
#include "util/result.h"

namespace metamorph::verify {

struct Transfer {  // mm_transfer_t
    std::uint32_t home = 0, sram = 0, bytes = 0, stride = 0;
    bool has_sram(std::uint32_t address) const { return address - sram < bytes; }
};

struct FirmwareTables {
    std::uint64_t build_id = 0;
    std::uint32_t nvm_bytes = 0;
    std::vector<std::uint32_t> task_functions;
    std::vector<std::vector<Transfer>> fetch_list, commit_list;  // by task
    std::vector<IntervalSet> commits;  // by task: NVM that it writes with its commit, header excluded
    IntervalSet initial;               // NVM that a first boot writes
    std::uint32_t event_function = 0, inference_at = 0, stack_limit = 0;
};

// Layout of the structures: mm_runtime.h and mm_board.h on a 32-bit processor, as asserted in mm_board_port.c. Errors:
// model (a symbol is missing, a table lies outside the program).
Result<FirmwareTables> read_tables(const emu::Program& program);

}  // namespace metamorph::verify

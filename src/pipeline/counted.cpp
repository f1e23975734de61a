#include "pipeline/counted.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace metamorph::pipeline {

report::Executed told(const emu::Counters& c) {
    return {c.instructions, c.loads, c.stores, c.nvm_bytes_read, c.nvm_bytes_written, c.seconds};
}

Result<report::MemoryUse> memory_of(const emu::Firmware& board, const emu::Program& program, const emu::PlainRun& run) {
    MM_TRY(const emu::MemoryBytes bytes, program.memory_bytes(board.sram));
    return report::MemoryUse{bytes.code, bytes.constants, bytes.sram, run.stack_bytes};
}

report::Executed difference(const emu::Counters& one, const emu::Counters& more) {
    return {more.instructions - one.instructions,
            more.loads - one.loads,
            more.stores - one.stores,
            more.nvm_bytes_read - one.nvm_bytes_read,
            more.nvm_bytes_written - one.nvm_bytes_written,
            more.seconds - one.seconds};
}

std::vector<std::pair<std::string, std::uint64_t>> by_function(
    const emu::Program& program, const std::vector<std::pair<std::uint32_t, std::uint64_t>>& one,
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& more) {
    std::map<std::string, std::uint64_t> sums;
    for (const auto& [address, instructions] : more) {
        sums[program.function_at(address).value_or("?")] += instructions;
    }
    for (const auto& [address, instructions] : one) {
        sums[program.function_at(address).value_or("?")] -= instructions;
    }
    std::vector<std::pair<std::string, std::uint64_t>> functions;
    std::copy_if(sums.begin(), sums.end(), std::back_inserter(functions), [](const auto& f) { return f.second > 0; });
    std::stable_sort(functions.begin(), functions.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return functions;
}

}  // namespace metamorph::pipeline

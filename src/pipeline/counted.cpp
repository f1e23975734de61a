#include "pipeline/counted.h"

#include <algorithm>
#include <map>

#include "pipeline/cycles.h"

namespace metamorph::pipeline {

Result<report::MemoryUse> memory_of(const emu::Firmware& board, const emu::Program& program, const emu::PlainRun& run) {
    MM_TRY(const emu::MemoryBytes bytes, program.memory_bytes(board.sram));
    return report::MemoryUse{bytes.code, bytes.constants, bytes.sram, run.stack_bytes};
}

std::vector<report::ExecutedPart> by_function(const emu::Program& program, const app::Device& device,
                                              const emu::PlainRun& one, const emu::PlainRun& more) {
    std::map<std::string, emu::Counters> sums;
    for (const auto& [address, counted] : more.blocks) {
        sums[program.function_at(address).value_or("?")].add(counted);
    }
    for (const auto& [address, counted] : one.blocks) {
        sums[program.function_at(address).value_or("?")].add(counted, -1);
    }
    std::vector<report::ExecutedPart> functions;
    for (const auto& [name, counted] : sums) {
        if (counted.instructions > 0) {
            functions.push_back({name, priced(counted, device)});
        }
    }
    std::stable_sort(functions.begin(), functions.end(),
                     [](const auto& a, const auto& b) { return a.executed.cycles > b.executed.cycles; });
    return functions;
}

std::vector<report::ExecutedPart> by_task(const std::vector<std::string>& tasks, const app::Device& device,
                                          const emu::PlainRun& run) {
    std::vector<report::ExecutedPart> parts;
    const std::size_t count = tasks.size();
    if (run.commits.size() < count || run.commits.size() % count != 0) {
        return parts;
    }
    for (std::size_t i = 0; i < count; ++i) {
        parts.push_back({tasks[i], priced(run.commits[run.commits.size() - count + i], device)});
    }
    return parts;
}

}  // namespace metamorph::pipeline

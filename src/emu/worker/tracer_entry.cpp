// What a task's function finds when it begins, in a run with a cut: from that, and from the recorded run, it is told
// why a failure happened (verify/diagnosis.h).
#include <algorithm>

#include "emu/worker/tracer.h"

namespace metamorph::emu {
namespace {

constexpr std::size_t k_differences_max = 256, k_rereads_max = 64;  // the first ones tell it all

}  // namespace

void Tracer::compare_entry() {
    end_phase();
    if (m_commits < 0 || static_cast<std::size_t>(m_commits) >= m_bodies.size()) {
        return;
    }
    const Part& part = m_bodies[static_cast<std::size_t>(m_commits)];
    if (part.task != m_task || part.begin.sp != m_task_sp) {
        return;
    }
    TaskEntry& entry = m_entries.emplace_back();
    entry.boundary = m_commits;
    entry.task = m_task;
    const Marks& marks = m_emulator.sram_marks();
    for (const Run& run : part.needs.sram_values) {
        const bool is_as_recorded = agrees(run);
        for (std::uint32_t i = 0; i < run.bytes.size() && entry.differences.size() < k_differences_max; ++i) {
            const std::uint32_t at = run.address + i;
            const bool is_same = is_as_recorded || m_emulator.sram()[at] == static_cast<std::uint8_t>(run.bytes[i]);
            if (!is_same || !marks.is_written(at)) {
                entry.differences.push_back({false, m_firmware.sram + at, marks.is_written(at), 0});
            }
        }
    }
    for (const Run& run : part.needs.nvm_values) {
        for (std::uint32_t i = 0; i < run.bytes.size() && entry.differences.size() < 2 * k_differences_max; ++i) {
            if (m_nvm[run.address + i] != run.bytes[i]) {
                entry.differences.push_back({true, run.address + i, true, 0});
            }
        }
    }
}

void Tracer::note_entry_read(std::uint32_t address, std::uint32_t bytes) {
    if (m_entries.empty() || m_entries.back().boundary != m_commits) {
        return;
    }
    TaskEntry& entry = m_entries.back();
    const std::uint32_t pc = m_emulator.pc();
    if (!m_nvm_marks.is_written_in_phase(address)) {
        for (TaskEntry::Difference& difference : entry.differences) {
            const bool is_it = difference.is_nvm && difference.address - address < bytes;
            difference.pc = is_it && difference.pc == 0 ? pc : difference.pc;
        }
        return;
    }
    const IntervalSet where(address, std::int64_t{address} + bytes);
    const bool is_known = std::any_of(entry.rereads.begin(), entry.rereads.end(),
                                      [&](const TaskEntry::Reread& reread) { return reread.pc == pc; });
    if (!is_known && entry.rereads.size() < k_rereads_max &&
        m_bodies[static_cast<std::size_t>(entry.boundary)].needs.nvm.intersects(where)) {
        entry.rereads.push_back({pc, address, bytes});
    }
}

}  // namespace metamorph::emu

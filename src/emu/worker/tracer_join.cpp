// What of the recorded run a boot need not run again, and how that is found out (tracer.h).
#include "emu/worker/tracer.h"

#include <algorithm>

namespace metamorph::emu {
namespace {

std::vector<Run> runs_of(const IntervalSet& where, const std::string& bytes) {
    std::vector<Run> runs;
    for (const Interval& i : where.intervals()) {
        runs.push_back({static_cast<std::uint32_t>(i.begin),
                        bytes.substr(static_cast<std::size_t>(i.begin), static_cast<std::size_t>(i.bytes()))});
    }
    return runs;
}

std::uint32_t word_at(const void* bytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// Addresses of the aligned words with this value.
std::vector<std::uint32_t> words_in(const std::vector<Run>& runs, std::uint32_t value) {
    std::vector<std::uint32_t> found;
    for (const Run& run : runs) {
        for (std::size_t at = (4 - run.address % 4) % 4; at + 4 <= run.bytes.size(); at += 4) {
            if (word_at(run.bytes.data() + at) == value) {
                found.push_back(run.address + static_cast<std::uint32_t>(at));
            }
        }
    }
    return found;
}

}  // namespace

// ---- Seeing parts and what follows ----

void Tracer::open_part(std::vector<Part>& parts) {
    const std::size_t at = m_mode == Mode::record ? m_segments.size() - 1 : static_cast<std::size_t>(m_commits);
    if (m_mode == Mode::boot && at >= m_fetches.size()) {
        return;
    }
    end_phase();
    if (m_mode == Mode::record) {
        parts.resize(at + 1);
    }
    parts[at].is_complete = false;
    m_open = &parts[at];
    m_open->task = m_task;
    m_open->begin = m_emulator.kept_registers();
    m_open->chip = m_emulator.function_entry().chip;
    m_open_steps = m_segments.back().steps.size();
    m_open_sram = sram_copy();
    m_open_nvm = m_nvm;
}

void Tracer::close_part() {
    if (m_open == nullptr) {
        return;
    }
    RawSegment& segment = m_segments.back();
    const IntervalSet sram_writes = m_emulator.sram_marks().writes();
    m_open->needs = needs_with_values(m_emulator.sram_marks().reads(), m_nvm_marks.reads(), m_open_sram, m_open_nvm);
    m_open->sram_after = runs_of(sram_writes, sram_copy());
    m_open->poison_after = words_in(m_open->sram_after, Emulator::k_recorded_poison);
    m_open->end = m_emulator.function_entry();
    m_open->nvm_after = runs_of(m_nvm_marks.writes(), m_nvm);
    m_open->has_steps = segment.steps.size() > m_open_steps;
    m_open->is_complete = m_mode == Mode::record || !m_open->has_steps;
    if (m_mode == Mode::record && m_open->has_steps) {
        m_open->number = m_parts++;
        segment.parts.push_back(
            {static_cast<std::int32_t>(m_open_steps), static_cast<std::int32_t>(segment.steps.size()), m_open->number});
    }
    m_open = nullptr;
    end_phase();
}

// It does, or whether it does hangs on unknown bytes.
bool Tracer::goes_on_as_known() {
    const auto at = static_cast<std::size_t>(m_commits);
    if (m_commits <= 0 || at >= m_boundaries.size()) {
        return false;
    }
    const KeptRegisters registers = m_emulator.kept_registers();
    const auto is_as_in = [&](const Boundary& known, int& which, int number) {
        const Agreement agreement =
            m_emulator.are_as_recorded(known.registers, registers) ? agrees(known.needs) : Agreement::no;
        if (agreement == Agreement::yes) {
            note_reads(known.needs.nvm);
            which = number;
        }
        return agreement != Agreement::no;
    };
    if (is_as_in(m_boundaries[at], m_boot.joined, m_commits)) {
        return true;
    }
    const Watched& watched = m_watched[at - 1];
    return m_segments.size() == 1 && watched.is_complete && is_as_in(watched.after, m_boot.like, m_commits - 1);
}

void Tracer::begin_watching() {
    const auto at = static_cast<std::size_t>(m_commits);
    if (m_commits <= 0 || at >= m_boundaries.size() || m_watched[at - 1].is_complete) {
        return;
    }
    end_phase();
    m_watching = m_commits - 1;
    m_watched[at - 1].after = {m_emulator.kept_registers(), sram_copy(), m_nvm, {}};
}

void Tracer::end_watching() {
    if (m_watching < 0 || m_boot.needs_unknown) {
        return;
    }
    end_phase();
    Watched& watched = m_watched[static_cast<std::size_t>(m_watching)];
    IntervalSet sram, nvm;
    if (m_boot.joined >= 0) {
        const Needs& rest = m_boundaries[static_cast<std::size_t>(m_boot.joined)].needs;
        sram = rest.sram;
        nvm = rest.nvm;
    }
    add_needs(m_watch_phases, sram, nvm);
    watched.after.needs = needs_with_values(sram, nvm, watched.after.sram, watched.after.nvm);
    watched.after.sram = {};
    watched.after.nvm = {};
    watched.is_complete = true;
    m_boot.watched = m_watching;
    m_watching = -1;
}

// `sram` and `nvm`: in, what is needed behind these phases; out, before them.
void Tracer::add_needs(const std::vector<Phase>& phases, IntervalSet& sram, IntervalSet& nvm) {
    for (auto phase = phases.rbegin(); phase != phases.rend(); ++phase) {
        sram.subtract(phase->sram_writes);
        sram.add(phase->sram_reads);
        nvm.subtract(phase->nvm_writes);
        nvm.add(phase->nvm_reads);
    }
}

// ---- Joining ----

bool Tracer::join(std::vector<Part>& parts, bool is_function) {
    if (m_commits < 0 || static_cast<std::size_t>(m_commits) >= parts.size()) {
        return false;
    }
    const Part& part = parts[static_cast<std::size_t>(m_commits)];
    const KeptRegisters registers = m_emulator.kept_registers();
    const bool is_same_place =
        is_function ? part.task == m_task && part.begin.sp == registers.sp && part.begin.link == registers.link
                    : m_emulator.are_as_recorded(part.begin, registers);
    if (!part.is_complete || !is_same_place || part.chip != m_emulator.function_entry().chip) {
        return false;
    }
    const Agreement agreement = agrees(part.needs);
    if (agreement == Agreement::no) {
        return false;
    }
    if (agreement == Agreement::yes) {
        m_join = &part;
        m_joins_function = is_function;
    } else {
        m_is_over = true;
    }
    m_emulator.stop();
    return true;
}

bool Tracer::agrees(const Run& sram) const {
    const std::uint8_t* now = m_emulator.sram() + sram.address;
    if (std::memcmp(now, sram.bytes.data(), sram.bytes.size()) == 0) {
        return true;
    }
    for (std::size_t at = 0; at < sram.bytes.size();) {
        if (now[at] == static_cast<std::uint8_t>(sram.bytes[at])) {
            ++at;
            continue;
        }
        const std::size_t word = at - std::min<std::size_t>((sram.address + at) % 4, at);
        if (word + 4 > sram.bytes.size() ||
            !m_emulator.is_as_recorded(word_at(sram.bytes.data() + word), word_at(now + word))) {
            return false;
        }
        at = word + 4;
    }
    return true;
}

// Unknown bytes only count where all the known ones agree: else the program may go another way, and never read them.
Tracer::Agreement Tracer::agrees(const Needs& needs) {
    Marks& marks = m_emulator.sram_marks();
    for (const Run& run : needs.sram_values) {
        if (!agrees(run)) {
            return Agreement::no;
        }
        for (std::uint32_t i = 0; i < run.bytes.size(); ++i) {
            if (!marks.is_written(run.address + i)) {
                return Agreement::no;
            }
        }
    }
    std::int64_t first_unknown = -1;
    for (const Run& run : needs.nvm_values) {
        if (!m_has_unknown || !is_unknown(run.address, static_cast<std::uint32_t>(run.bytes.size()))) {
            if (m_nvm.compare(run.address, run.bytes.size(), run.bytes) != 0) {
                return Agreement::no;
            }
            continue;
        }
        for (std::uint32_t i = 0; i < run.bytes.size(); ++i) {
            if (m_unknown[run.address + i] != 0) {
                first_unknown = first_unknown < 0 ? run.address + i : first_unknown;
            } else if (m_nvm[run.address + i] != run.bytes[i]) {
                return Agreement::no;
            }
        }
    }
    if (first_unknown >= 0) {
        note_unknown(static_cast<std::uint32_t>(first_unknown), 1);
        return Agreement::unknown;
    }
    return Agreement::yes;
}

void Tracer::note_reads(const IntervalSet& nvm) {
    for (const Interval& i : nvm.intervals()) {
        m_nvm_marks.note_read(static_cast<std::uint32_t>(i.begin), static_cast<std::uint32_t>(i.end));
    }
}

void Tracer::apply(const Part& part) {
    note_reads(part.needs.nvm);
    Marks& marks = m_emulator.sram_marks();
    if (m_joins_function) {
        forget_stack_below(m_task_sp);  // what the function wrote there itself is not in sram_after
    }
    for (const Run& run : part.sram_after) {
        const auto bytes = static_cast<std::uint32_t>(run.bytes.size());
        std::memcpy(m_emulator.sram() + run.address, run.bytes.data(), bytes);
        marks.write(run.address, bytes);
    }
    const std::uint32_t poison = m_emulator.register_poison();
    for (const std::uint32_t at : part.poison_after) {
        std::memcpy(m_emulator.sram() + at, &poison, sizeof poison);
    }
    for (const Run& run : part.nvm_after) {
        const auto bytes = static_cast<std::uint32_t>(run.bytes.size());
        std::memcpy(m_nvm.data() + run.address, run.bytes.data(), bytes);
        std::memset(m_unknown.data() + run.address, 0, bytes);
        m_nvm_marks.write(run.address, bytes);
    }
    if (part.number >= 0) {
        m_segments.back().steps.push_back({Step::Kind::body, {}, part.number});
    }
    if (m_joins_function) {
        m_emulator.return_with(part.result);
    } else {
        m_emulator.continue_at(part.end);
    }
}

Tracer::Needs Tracer::needs_with_values(IntervalSet sram, IntervalSet nvm, const std::string& sram_bytes,
                                        const std::string& nvm_bytes) const {
    Needs needs;
    needs.sram_values = runs_of(sram, sram_bytes);
    needs.nvm_values = runs_of(nvm, nvm_bytes);
    needs.sram = std::move(sram);
    needs.nvm = std::move(nvm);
    return needs;
}

}  // namespace metamorph::emu

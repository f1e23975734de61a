#include "emu/worker/tracer.h"

#include <algorithm>
#include <stdexcept>

namespace metamorph::emu {
namespace {

constexpr std::size_t k_faults_max = 8;  // a segment: the first ones tell it all

}  // namespace

Tracer::Tracer(const Firmware& firmware)
    : m_firmware(firmware),
      m_emulator(m_firmware, Watch::instructions, *this),
      m_task_at(firmware.flash_bytes / 2, -1),
      m_nvm(firmware.used_bytes, '\0'),
      m_nvm_marks(firmware.used_bytes),
      m_unknown(firmware.used_bytes) {
    std::vector<std::uint32_t> marks{m_firmware.event_function};
    for (std::size_t task = 0; task < m_firmware.task_functions.size(); ++task) {
        marks.push_back(m_firmware.task_functions[task]);
        m_task_at.at((marks.back() - m_firmware.flash) >> 1) = static_cast<std::int32_t>(task);
    }
    m_emulator.set_marks(marks);
}

void Tracer::start(Mode mode, unsigned pattern) {
    m_mode = mode;
    m_segments.clear();
    m_commits = -1;
    m_task = -1;
    m_join = nullptr;
    m_open = nullptr;
    m_watching = -1;
    m_watch_phases.clear();
    m_boot_needs = m_boot_writes = {};
    m_boot = {};
    m_is_over = m_is_cut = false;
    m_units = m_outputs = 0;
    m_entries.clear();
    m_emulator.power_on(pattern);
    m_emulator.limit_instructions(m_firmware.instructions_max);
    m_nvm_marks.begin_boot();
    begin_segment();
    m_emulator.run();
    while (m_join != nullptr) {
        apply(*m_join);
        m_join = nullptr;
        m_emulator.run();
    }
    if (!m_is_over) {
        m_segments.back().halt = m_emulator.halt();
        end_segment();
    }
    end_watching();
}

void Tracer::begin_segment() {
    m_segments.emplace_back();
    m_segment_began = m_emulator.instructions();
    if (m_mode == Mode::record) {
        m_phases.emplace_back();
    }
}

void Tracer::end_segment() {
    m_segments.back().instructions = m_emulator.instructions() - m_segment_began;
    if (m_mode == Mode::record) {
        end_phase();
    }
}

void Tracer::end_phase() {
    Marks& sram = m_emulator.sram_marks();
    if (m_mode == Mode::record) {
        m_phases.back().push_back({sram.reads(), sram.writes(), m_nvm_marks.reads(), m_nvm_marks.writes()});
    } else {
        IntervalSet reads = m_nvm_marks.reads();
        reads.subtract(m_boot_writes);
        m_boot_needs.add(reads);
        m_boot_writes.add(m_nvm_marks.writes());
        if (m_watching >= 0) {
            m_watch_phases.push_back({sram.reads(), sram.writes(), m_nvm_marks.reads(), m_nvm_marks.writes()});
        }
    }
    sram.begin_phase();
    m_nvm_marks.begin_phase();
}

std::string Tracer::sram_copy() const {
    return {reinterpret_cast<const char*>(m_emulator.sram()), m_firmware.sram_bytes};
}

// ---- What the program does ----

bool Tracer::is_unknown(std::uint32_t address, std::uint32_t bytes) const {
    return std::any_of(m_unknown.begin() + address, m_unknown.begin() + address + bytes,
                       [](std::uint8_t unknown) { return unknown != 0; });
}

void Tracer::note_unknown(std::uint32_t address, std::uint32_t bytes) {
    if (!m_boot.needs_unknown) {
        m_boot.needs_unknown = true;
        m_boot.unknown_address = address;
        m_boot.unknown_bytes = bytes;
        m_boot.unknown_pc = m_emulator.pc();
    }
    m_is_over = true;
    m_emulator.stop();
}

std::uint32_t Tracer::nvm_read(std::uint32_t address, std::uint32_t bytes) {
    if (std::uint64_t{address} + bytes > m_nvm.size()) {
        return UINT32_MAX;
    }
    if (m_has_unknown && is_unknown(address, bytes)) {
        note_unknown(address, bytes);
    }
    m_nvm_marks.read(address, bytes);
    if (m_mode == Mode::cut && m_task >= 0) {
        note_entry_read(address, bytes);
    }
    std::uint32_t value = 0;
    std::memcpy(&value, m_nvm.data() + address, bytes);
    return value;
}

void Tracer::nvm_write(std::uint32_t address, std::uint32_t value, std::uint32_t bytes) {
    if (m_is_cut || m_is_over) {
        return;
    }
    RawSegment& segment = m_segments.back();
    if (std::uint64_t{address} + bytes > m_nvm.size()) {
        if (segment.faults.size() < k_faults_max) {
            segment.faults.push_back({RawFault::Kind::write_outside, m_emulator.pc(), address});
        }
        return;
    }
    const bool is_torn = m_mode == Mode::cut && is_cut_due();
    for (std::uint32_t i = 0; i < bytes; ++i) {
        if (!is_torn || (m_cut.mask < k_ruined && (m_cut.mask >> i & 1U) != 0)) {
            m_nvm[address + i] = static_cast<char>(value >> 8 * i);
        }
    }
    if (is_torn) {
        if (m_cut.mask >= k_ruined) {
            ruin_unit(address);
        }
        power_cut();
        return;
    }
    if (m_has_unknown) {
        std::fill_n(m_unknown.begin() + address, bytes, std::uint8_t{0});
    }
    m_nvm_marks.write(address, bytes);
    ++m_units;
    segment.steps.push_back(
        {Step::Kind::write, {address, value, static_cast<std::uint8_t>(bytes), m_emulator.pc()}, -1});
    if (m_mode == Mode::cut && m_cut.mask == 0 && is_cut_due()) {
        power_cut();
    }
}

void Tracer::ruin_unit(std::uint32_t address) {
    const std::uint32_t begin = address / m_firmware.unit_bytes * m_firmware.unit_bytes;
    for (std::uint32_t at = begin; at < begin + m_firmware.unit_bytes && at < m_nvm.size(); ++at) {
        m_nvm[at] = static_cast<char>(ruined_byte(m_cut.mask - k_ruined, at));
    }
}

void Tracer::power_cut() {
    m_is_cut = true;
    m_emulator.halt_with(HaltKind::cut);
}

void Tracer::write_refused(std::uint32_t address) {
    RawSegment& segment = m_segments.back();
    if (!m_is_cut && segment.faults.size() < k_faults_max) {
        segment.faults.push_back({RawFault::Kind::spi_write_without_enable, m_emulator.pc(), address});
    }
}

void Tracer::hand_over(const Output& output) {
    if (m_is_cut || m_is_over) {
        return;
    }
    RawSegment& segment = m_segments.back();
    segment.steps.push_back({Step::Kind::output, {}, static_cast<int>(segment.outputs.size())});
    segment.outputs.push_back(output);
    ++m_outputs;
    if (m_mode == Mode::cut && m_cut.mask == 0 && is_cut_due()) {
        power_cut();
    }
}

void Tracer::poisoned_read(std::uint32_t address) {
    RawSegment& segment = m_segments.back();
    const bool is_known = std::any_of(segment.faults.begin(), segment.faults.end(), [&](const RawFault& fault) {
        return fault.kind == RawFault::Kind::poisoned_read && fault.pc == m_emulator.pc();
    });
    if (!m_is_cut && !m_is_over && !is_known && segment.faults.size() < k_faults_max) {
        segment.faults.push_back({RawFault::Kind::poisoned_read, m_emulator.pc(), address});
    }
}

void Tracer::mark_reached(std::uint32_t pc) {
    if (m_is_cut || m_is_over) {
        return;
    }
    if (pc == m_firmware.event_function) {
        event(m_emulator.argument(0));
        return;
    }
    enter_task(m_task_at[(pc - m_firmware.flash) >> 1]);
}

void Tracer::event(std::uint32_t number) {
    RawSegment& segment = m_segments.back();
    switch (number) {
        case Event::first_boot:
            segment.steps.push_back({Step::Kind::first_boot, {}, -1});
            break;
        case Event::boot:
            m_commits =
                static_cast<int>(m_emulator.sram_word(m_firmware.inference_at) * m_firmware.task_functions.size() +
                                 m_emulator.argument(1));
            segment.steps.push_back({Step::Kind::resume, {}, m_commits});
            break;
        case Event::task_start:
            if (m_mode == Mode::boot && m_segments.size() == 1 && !join(m_fetches, false)) {
                open_part(m_fetches);
            }
            break;
        case Event::commit_start:
            if (m_mode == Mode::record) {
                open_part(m_write_backs);
            } else if (m_mode == Mode::boot) {
                join(m_write_backs, false);
            }
            break;
        case Event::record_start:
            if (m_mode == Mode::record) {
                close_part();
            }
            break;
        case Event::commit_done:
            committed();
            break;
        default:
            break;
    }
}

void Tracer::returned() {
    if (m_task < 0 || m_is_cut || m_is_over || m_emulator.kept_registers().sp != m_task_sp) {
        return;
    }
    forget_stack_below(m_task_sp);
    m_task = -1;
    m_emulator.watch_return(UINT32_MAX);
    if (m_mode == Mode::record) {
        m_open->result = m_emulator.result();
        close_part();
    }
}

void Tracer::forget_stack_below(std::uint32_t sp) {
    const std::uint32_t begin = m_firmware.stack_limit - m_firmware.sram, end = sp - m_firmware.sram;
    if (begin < end && end <= m_firmware.sram_bytes) {
        m_emulator.sram_marks().forget(begin, end);
    }
}

void Tracer::committed() {
    RawSegment& segment = m_segments.back();
    segment.steps.push_back({Step::Kind::commit, {}, -1});
    end_segment();
    ++m_commits;
    if (m_mode == Mode::record) {
        m_boundaries.push_back({m_emulator.kept_registers(), sram_copy(), m_nvm, {}});
    } else if (m_mode == Mode::boot) {
        if (goes_on_as_known()) {
            m_is_over = true;
            m_emulator.stop();
            return;
        }
        if (m_segments.size() == 1) {
            begin_watching();
        }
    }
    begin_segment();
}

void Tracer::enter_task(int task) {
    if (m_task == task) {
        return;  // a loop back to its first instruction
    }
    if (m_mode == Mode::boot) {
        close_part();
    }
    const KeptRegisters registers = m_emulator.kept_registers();
    m_task_sp = registers.sp;
    m_task = task;
    if (m_mode == Mode::record) {
        open_part(m_bodies);
    } else if (m_mode == Mode::boot && join(m_bodies, true)) {
        m_task = -1;
        return;
    } else if (m_mode == Mode::cut) {
        compare_entry();
    }
    m_emulator.watch_return(registers.link);
}

// ---- Whole runs ----

std::vector<RawSegment> Tracer::record(const std::string& nvm) {
    if (nvm.size() != m_nvm.size()) {
        throw std::runtime_error("an image of NVM has the wrong size");
    }
    m_nvm = nvm;
    m_has_unknown = false;
    m_bodies.clear();
    m_write_backs.clear();
    m_parts = 0;
    m_phases.clear();
    m_boundaries.assign(1, {});  // 0 is power-on: what a boot reads there is not known beforehand
    m_boundaries[0].nvm = nvm;
    start(Mode::record, 0);
    m_fetches.assign(m_boundaries.size(), {});
    m_watched.assign(m_boundaries.size(), {});
    finish_recording();
    return m_segments;
}

// From the end on: what a segment reads first, and what the rest needs that it does not write.
void Tracer::finish_recording() {
    IntervalSet sram, nvm;
    for (std::size_t at = m_segments.size(); at-- > 1;) {
        add_needs(m_phases[at], sram, nvm);
        Boundary& boundary = m_boundaries[at];
        boundary.needs = needs_with_values(sram, nvm, boundary.sram, boundary.nvm);
    }
    for (Boundary& boundary : m_boundaries) {
        boundary.sram = {};
    }
}

RawBoot Tracer::boot(const RawImage& image, bool wants_needed) {
    if (image.boundary >= m_boundaries.size()) {
        throw std::runtime_error("an image is of no boundary of the recorded run");
    }
    m_nvm = m_boundaries[image.boundary].nvm;
    for (const Run& run : image.differs) {
        if (run.address + run.bytes.size() > m_nvm.size()) {
            throw std::runtime_error("an image has bytes outside NVM");
        }
        m_nvm.replace(run.address, run.bytes.size(), run.bytes);
    }
    std::fill(m_unknown.begin(), m_unknown.end(), std::uint8_t{0});
    for (const Interval& i : image.unknown) {
        const std::int64_t end = std::min<std::int64_t>(i.end, static_cast<std::int64_t>(m_unknown.size()));
        if (i.begin < end) {
            std::fill(m_unknown.begin() + i.begin, m_unknown.begin() + end, std::uint8_t{1});
        }
    }
    m_has_unknown = !image.unknown.empty();
    start(Mode::boot, image.boundary);
    RawBoot result = std::move(m_boot);
    if (!result.needs_unknown) {
        result.segments = std::move(m_segments);
        if (wants_needed) {
            end_phase();
            result.needed = m_boot_needs.intervals();
        }
    }
    return result;
}

CutRun Tracer::run_with_cut(const std::string& nvm, const CutSpec& cut) {
    if (nvm.size() != m_nvm.size()) {
        throw std::runtime_error("an image of NVM has the wrong size");
    }
    m_nvm = nvm;
    m_has_unknown = false;
    m_cut = cut;
    start(Mode::cut, cut.pattern);
    CutRun run;
    end_phase();
    run.segments = std::move(m_segments);
    run.entries = std::move(m_entries);
    run.nvm_reads = m_boot_needs.intervals();
    run.nvm = m_nvm;
    run.sram.push_back(sram_copy());
    run.registers = m_emulator.registers();
    return run;
}

}  // namespace metamorph::emu

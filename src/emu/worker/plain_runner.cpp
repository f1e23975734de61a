#include "emu/worker/plain_runner.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <vector>

namespace metamorph::emu {
namespace {

double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

PlainRunner::PlainRunner(const Firmware& firmware)
    : m_firmware(firmware), m_emulator(m_firmware, Watch::blocks, *this), m_nvm(firmware.nvm_bytes, '\0') {
    if (m_firmware.event_function != 0) {
        m_emulator.set_marks({m_firmware.event_function});
    }
}

PlainRun PlainRunner::run() {
    // Another pattern than the recorded run's, if it is that program: what registers held must not matter to it.
    m_emulator.power_on(m_firmware.event_function == 0 ? 0 : 3);
    const std::uint32_t stack_begin = m_firmware.stack_limit - std::min(m_firmware.sram, m_firmware.stack_limit);
    const std::vector<std::uint8_t> as_new(m_emulator.sram() + stack_begin, m_emulator.sram() + m_firmware.sram_bytes);
    m_emulator.limit_instructions(m_firmware.instructions_max);
    const double began = processor_seconds();
    m_emulator.run();
    const double seconds = processor_seconds() - began;
    m_run.halt = m_emulator.halt();
    m_run.counters = m_emulator.counted();
    m_run.counters.seconds = seconds;
    m_run.blocks = m_emulator.counted_blocks();
    const auto deepest = std::mismatch(as_new.begin(), as_new.end(), m_emulator.sram() + stack_begin).first;
    m_run.stack_bytes = static_cast<std::uint32_t>(as_new.end() - deepest);
    return std::move(m_run);
}

void PlainRunner::mark_reached(std::uint32_t) {
    if (m_emulator.argument(0) == Event::commit_done) {
        const Counters now = m_emulator.counted();
        m_run.commits.push_back(now.minus(m_counted));
        m_counted = now;
    }
}

std::uint32_t PlainRunner::nvm_read(std::uint32_t address, std::uint32_t bytes) {
    std::uint32_t value = UINT32_MAX;
    if (std::uint64_t{address} + bytes <= m_nvm.size()) {
        value = 0;
        std::memcpy(&value, m_nvm.data() + address, bytes);
    }
    m_emulator.count_nvm_read(bytes);
    return value;
}

void PlainRunner::nvm_write(std::uint32_t address, std::uint32_t value, std::uint32_t bytes) {
    if (std::uint64_t{address} + bytes <= m_nvm.size()) {
        std::memcpy(m_nvm.data() + address, &value, bytes);
    }
    m_emulator.count_nvm_write(address, bytes);
}

}  // namespace metamorph::emu

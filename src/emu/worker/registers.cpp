// Registers, and the state at power-on.
#include <algorithm>
#include <array>

#include "emu/worker/emulator.h"

namespace metamorph::emu {
namespace {

constexpr std::size_t k_patterns = 4;
constexpr std::array<int, k_patterns - 1> k_sram_fills = {0xA5, 0x00, 0xFF};  // the last pattern is pseudo-random
// One value for all registers: a copy of any of them is told by it, wherever it was pushed to.
constexpr std::array<std::uint32_t, k_patterns> k_register_fills = {Emulator::k_recorded_poison, 0x00000000, 0xFFFFFFFF,
                                                                    0x6C62272F};
constexpr int k_output_fill = 0xD7;
constexpr std::uint32_t k_xpsr_thumb = 0x01000000, k_xpsr_flags = 0xF8000000;
constexpr std::uint32_t k_link_at_reset = 0xFFFFFFFF;  // of a Cortex-M

std::uint32_t load(const std::uint8_t* at, std::uint32_t bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, at, bytes);
    return value;
}

struct RegisterNames {
    int pc, sp, link, argument_0;
    std::vector<int> general, kept, kept_float, scratch;
};

const RegisterNames& names_of(Firmware::Core core) {
    static const RegisterNames arm = [] {
        RegisterNames names{UC_ARM_REG_PC, UC_ARM_REG_SP, UC_ARM_REG_LR, UC_ARM_REG_R0, {}, {}, {}, {}};
        for (int i = 0; i <= 12; ++i) {
            names.general.push_back(UC_ARM_REG_R0 + i);
        }
        names.kept.assign(names.general.begin() + 4, names.general.begin() + 12);
        names.general.insert(names.general.end(), {UC_ARM_REG_SP, UC_ARM_REG_LR, UC_ARM_REG_PC});
        for (int i = 0; i < 16; ++i) {
            (i < 8 ? names.scratch : names.kept_float).push_back(UC_ARM_REG_D0 + i);
        }
        return names;
    }();
    static const RegisterNames riscv = [] {
        RegisterNames names{UC_RISCV_REG_PC, UC_RISCV_REG_X2, UC_RISCV_REG_X1, UC_RISCV_REG_X10, {}, {}, {}, {}};
        for (int i = 1; i < 32; ++i) {
            names.general.push_back(UC_RISCV_REG_X0 + i);
        }
        names.general.push_back(UC_RISCV_REG_PC);
        for (const int x : {3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}) {
            names.kept.push_back(UC_RISCV_REG_X0 + x);
        }
        return names;
    }();
    return core == Firmware::Core::cortex_m4f ? arm : riscv;
}

}  // namespace

std::uint64_t Emulator::read_register(int id) const {
    std::uint64_t value = 0;
    uc_reg_read(m_engine, id, &value);
    return value;
}

void Emulator::write_register(int id, std::uint64_t value) {
    uc_reg_write(m_engine, id, &value);
}

void Emulator::power_on(unsigned pattern) {
    pattern %= k_patterns;
    uc_context_restore(m_engine, m_as_new);
    if (pattern < k_sram_fills.size()) {
        std::memset(m_sram.data(), k_sram_fills[pattern], m_sram.size());
    } else {
        if (m_noise.empty()) {
            m_noise.resize(m_sram.size());
            std::uint32_t state = 0x9E3779B9;
            for (std::uint32_t at = 0; at < m_sram.size(); at += 4) {
                state = state * 1664525U + 1013904223U;  // Numerical Recipes
                std::memcpy(m_noise.data() + at, &state, 4);
            }
        }
        std::memcpy(m_sram.data(), m_noise.data(), m_noise.size());
    }
    m_sram_marks.begin_boot();
    poison_registers(pattern);
    poison_board();
    m_halt = {};
    m_is_stopping = m_skips_mark = false;
    m_return_at = UINT32_MAX;
}

// Masks, stack selection, exception state and the like are defined by a reset: they come with the saved context.
void Emulator::poison_registers(unsigned pattern) {
    m_register_poison = k_register_fills[pattern];
    const RegisterNames& names = names_of(m_firmware.core);
    for (const int id : names.general) {
        write_register(id, m_register_poison);
    }
    for (const auto* list : {&names.scratch, &names.kept_float}) {
        for (const int id : *list) {
            write_register(id, std::uint64_t{m_register_poison} << 32 | m_register_poison);
        }
    }
    if (is_arm()) {
        write_register(UC_ARM_REG_XPSR, k_xpsr_thumb | (m_register_poison & k_xpsr_flags));
        write_register(names.link, k_link_at_reset);
        write_register(names.sp, load(m_flash.data(), 4));
        m_resume = load(m_flash.data() + 4, 4) | 1U;
    } else {
        write_register(UC_RISCV_REG_MTVEC, m_register_poison & ~3U);
        for (const int id : {UC_RISCV_REG_MSCRATCH, UC_RISCV_REG_MEPC, UC_RISCV_REG_MTVAL}) {
            write_register(id, m_register_poison & ~1U);
        }
        m_resume = m_firmware.entry;
    }
}

// Registers of peripherals are zero after a reset; what the output window held is lost.
void Emulator::poison_board() {
    std::memset(m_system.data(), 0, m_system.size());
    std::memset(m_io.data(), 0, k_io_data);
    if (m_io_written > k_io_data) {
        std::memset(m_io.data() + k_io_data, k_output_fill, std::min(m_io_written, k_io_bytes) - k_io_data);
    }
    m_io_written = 0;
    m_chip.power_on();
}

bool Emulator::are_as_recorded(const KeptRegisters& recorded, const KeptRegisters& now) const {
    const auto is_same = [&](std::uint64_t a, std::uint64_t b) {
        return is_as_recorded(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)) &&
               is_as_recorded(static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(b >> 32));
    };
    return recorded.sp == now.sp && is_as_recorded(recorded.link, now.link) &&
           std::equal(recorded.others.begin(), recorded.others.end(), now.others.begin(), now.others.end(), is_same);
}

KeptRegisters Emulator::kept_registers() const {
    const RegisterNames& names = names_of(m_firmware.core);
    KeptRegisters kept{
        static_cast<std::uint32_t>(read_register(names.sp)), static_cast<std::uint32_t>(read_register(names.link)), {}};
    for (const auto* list : {&names.kept, &names.kept_float}) {
        for (const int id : *list) {
            kept.others.push_back(read_register(id));
        }
    }
    return kept;
}

std::uint32_t Emulator::argument(unsigned index) const {
    return static_cast<std::uint32_t>(read_register(names_of(m_firmware.core).argument_0 + static_cast<int>(index)));
}

std::uint32_t Emulator::result() const {
    return argument(0);
}

void Emulator::return_with(std::uint32_t value) {
    const RegisterNames& names = names_of(m_firmware.core);
    write_register(names.argument_0, value);
    m_pc = static_cast<std::uint32_t>(read_register(names.link)) & ~1U;
    m_resume = m_pc | (is_arm() ? 1U : 0U);
    m_skips_mark = false;
}

Emulator::FunctionEntry Emulator::function_entry() const {
    return {m_pc, kept_registers(), {argument(0), argument(1)}, m_chip.latch()};
}

void Emulator::continue_at(const FunctionEntry& entry) {
    const RegisterNames& names = names_of(m_firmware.core);
    write_register(names.sp, entry.kept.sp);
    write_register(names.link, entry.kept.link);
    std::size_t next = 0;
    const auto poisoned = [&](std::uint64_t word) { return word == k_recorded_poison ? m_register_poison : word; };
    for (const auto* list : {&names.kept, &names.kept_float}) {
        for (const int id : *list) {
            const std::uint64_t recorded = entry.kept.others[next++];
            write_register(id, poisoned(recorded >> 32) << 32 | poisoned(recorded & UINT32_MAX));
        }
    }
    for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
        write_register(names.argument_0 + static_cast<int>(i), entry.arguments[i]);
    }
    m_chip.set_latch(entry.chip);
    m_pc = entry.pc;
    m_resume = m_pc | (is_arm() ? 1U : 0U);
    m_skips_mark = false;
}

std::vector<std::uint32_t> Emulator::registers() const {
    std::vector<std::uint32_t> values;
    for (const int id : names_of(m_firmware.core).general) {
        values.push_back(static_cast<std::uint32_t>(read_register(id)));
    }
    values.back() = m_pc;
    return values;
}

std::uint32_t Emulator::sram_word(std::uint32_t address) const {
    const std::uint32_t at = address - m_firmware.sram;
    return at + 4 <= m_firmware.sram_bytes ? load(m_sram.data() + at, 4) : 0;
}

}  // namespace metamorph::emu

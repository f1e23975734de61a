// Registers, and the state at power-on.
#include <array>

#include "emu/worker/emulator.h"

namespace metamorph::emu {
namespace {

constexpr std::uint32_t k_register_poison = 0xB0B0B0B1;

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
    constexpr std::array<int, 3> k_fills = {0xA5, 0x00, 0xFF};
    if (pattern < k_fills.size()) {
        std::memset(m_sram.data(), k_fills[pattern], m_sram.size());
    } else {
        std::uint32_t state = 0x9E3779B9;
        for (std::uint32_t at = 0; at < m_sram.size(); at += 4) {
            state = state * 1664525U + 1013904223U;  // Numerical Recipes
            std::memcpy(m_sram.data() + at, &state, 4);
        }
    }
    std::memset(m_system.data(), 0, m_system.size());
    m_sram_marks.begin_boot();
    m_chip.power_on();
    const RegisterNames& names = names_of(m_firmware.core);
    for (const int id : names.general) {
        write_register(id, k_register_poison);
    }
    for (const auto* list : {&names.scratch, &names.kept_float}) {
        for (const int id : *list) {
            write_register(id, 0xB0B0B0B1B0B0B0B1ULL);
        }
    }
    if (is_arm()) {
        write_register(UC_ARM_REG_XPSR, 0x01000000);
        write_register(names.sp, load(m_flash.data(), 4));
        m_resume = load(m_flash.data() + 4, 4) | 1U;
    } else {
        m_resume = m_firmware.entry;
    }
    m_halt = {};
    m_is_stopping = m_skips_mark = false;
    m_return_at = UINT32_MAX;
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
    for (const auto* list : {&names.kept, &names.kept_float}) {
        for (const int id : *list) {
            write_register(id, entry.kept.others[next++]);
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

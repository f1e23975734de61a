// What the instructions of a block are: how many, how many of them load or store. Decoded by their encodings: Armv7-M
// Architecture Reference Manual, A5.2 (16 bits) and A5.3 (32 bits); RISC-V Unprivileged ISA, chapters "RV32/64G
// instruction set listings" and "C". An instruction counts once, whatever number of words it moves.
#include "emu/worker/emulator.h"

namespace metamorph::emu {
namespace {

enum class Kind { other, load, store };

Kind thumb_16(std::uint32_t half) {
    const std::uint32_t top = half >> 11;
    if (top == 0b01001) {
        return Kind::load;  // literal
    }
    if (half >> 12 == 0b0101) {
        return (half >> 9 & 7U) <= 2 ? Kind::store : Kind::load;  // STR STRH STRB | LDRSB LDR LDRH LDRB LDRSH
    }
    if (half >> 13 == 0b011 || half >> 12 == 0b1000 || half >> 12 == 0b1001 || half >> 12 == 0b1100) {
        return (top & 1U) != 0 ? Kind::load : Kind::store;
    }
    if ((half & 0xFE00U) == 0xB400U) {
        return Kind::store;  // PUSH
    }
    return (half & 0xFE00U) == 0xBC00U ? Kind::load : Kind::other;  // POP
}

// PLD and PLI: loads of a byte or half word to register 15, which load nothing (A5.3.8, A5.3.9).
bool is_hint(std::uint32_t first, std::uint32_t second) {
    return (first & 0xFE10U) == 0xF810U && (first >> 5 & 3U) < 2 && second >> 12 == 15;
}

Kind thumb_32(std::uint32_t first, std::uint32_t second) {
    const bool is_load = (first >> 4 & 1U) != 0;
    if (is_hint(first, second)) {
        return Kind::other;
    }
    if ((first & 0xFE00U) == 0xE800U || (first & 0xFE00U) == 0xF800U) {  // multiple, dual, exclusive; single
        return is_load ? Kind::load : Kind::store;
    }
    if ((first & 0xFE00U) == 0xEC00U && (first & 0x01E0U) != 0x0040U && (first & 0x01E0U) != 0) {  // VLDR, VLDM
        return is_load ? Kind::load : Kind::store;
    }
    return Kind::other;
}

Kind riscv_16(std::uint32_t half) {
    const std::uint32_t quadrant = half & 3U, function = half >> 13;
    if (quadrant == 0 || quadrant == 2) {
        return function == 0b010 || function == 0b011   ? Kind::load
               : function == 0b110 || function == 0b111 ? Kind::store
                                                        : Kind::other;
    }
    return Kind::other;
}

}  // namespace

BlockCost Emulator::cost_of(std::uint32_t address, std::uint32_t size) const {
    BlockCost cost;
    const std::uint32_t begin = address - m_firmware.flash;
    const auto half_at = [&](std::uint32_t at) {
        return static_cast<std::uint32_t>(m_flash.data()[at] | m_flash.data()[at + 1] << 8);
    };
    for (std::uint32_t at = begin; at + 2 <= begin + size;) {
        const std::uint32_t half = half_at(at);
        const bool is_long = is_arm() ? half >> 11 >= 0b11101 : (half & 3U) == 3;
        Kind kind = Kind::other;
        if (is_arm()) {
            kind = is_long ? thumb_32(half, half_at(at + 2)) : thumb_16(half);
        } else if (!is_long) {
            kind = riscv_16(half);
        } else {
            const std::uint32_t opcode = half & 0x7FU;
            kind = opcode == 0x03 ? Kind::load : opcode == 0x23 ? Kind::store : Kind::other;
        }
        ++cost.instructions;
        cost.loads += kind == Kind::load ? 1 : 0;
        cost.stores += kind == Kind::store ? 1 : 0;
        at += is_long ? 4 : 2;
    }
    return cost;
}

}  // namespace metamorph::emu

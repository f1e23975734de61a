// What the instructions of a block are to a table of costs. Decoded by their encodings: Armv7-M Architecture Reference
// Manual, A5.2 (16 bits), A5.3 (32 bits) and A6 (floating point); RISC-V Unprivileged ISA, chapters "RV32/64G
// instruction set listings" and "C". A load or store counts as one, and its further words beside it. Predicated
// instructions (IT) count as executed.
#include <bit>

#include "emu/worker/emulator.h"

namespace metamorph::emu {
namespace {

using Class = InstructionClass;

struct Decoded {
    Class what = Class::other;
    std::uint32_t words = 1;      // of a load or store
    bool is_conditional = false;  // a branch

    bool is_access() const { return what == Class::load || what == Class::store; }
};

Decoded access(bool is_load, int words = 1) {
    return {is_load ? Class::load : Class::store, static_cast<std::uint32_t>(words), false};
}

constexpr Decoded k_branch{Class::branch, 1, true}, k_jump{Class::branch, 1, false};

Decoded thumb_16(std::uint32_t half) {
    const std::uint32_t top = half >> 11;
    if (top == 0b01001) {
        return access(true);  // literal
    }
    if (half >> 12 == 0b0101) {
        return access((half >> 9 & 7U) > 2);  // STR STRH STRB | LDRSB LDR LDRH LDRB LDRSH
    }
    if (half >> 12 == 0b1100) {  // STM LDM
        return access((top & 1U) != 0, std::popcount(half & 0xFFU));
    }
    if (half >> 13 == 0b011 || half >> 12 == 0b1000 || half >> 12 == 0b1001) {
        return access((top & 1U) != 0);
    }
    if ((half & 0xF600U) == 0xB400U) {  // PUSH, POP
        return access((half & 0x0800U) != 0, std::popcount(half & 0x1FFU));
    }
    if ((half & 0xFFC0U) == 0x4340U) {
        return {Class::multiply, 1, false};
    }
    if ((half & 0xFF00U) == 0x4700U || (half & 0xFD87U) == 0x4487U || top == 0b11100) {  // BX BLX, ADD MOV to PC, B
        return k_jump;
    }
    const bool is_conditional = half >> 12 == 0b1101 && (half >> 9 & 7U) != 7;
    return is_conditional || (half & 0xF500U) == 0xB100U ? k_branch : Decoded{};  // B<c>, CBZ CBNZ
}

// PLD and PLI: loads of a byte or half word to register 15, which load nothing (A5.3.8, A5.3.9).
bool is_hint(std::uint32_t first, std::uint32_t second) {
    return (first & 0xFE10U) == 0xF810U && (first >> 5 & 3U) < 2 && second >> 12 == 15;
}

// A5.3.6: LDRD and STRD move two words; exclusive ones and table branches one.
int words_of_dual(std::uint32_t first) {
    return (first >> 7 & 3U) >= 2 || (first >> 4 & 3U) >= 2 ? 2 : 1;
}

// A6.5 to A6.7: coprocessors 10 and 11.
Decoded floating(std::uint32_t first, std::uint32_t second) {
    const bool is_transfer = (second & 0x10U) != 0;  // VMOV, VMRS
    if ((second & 0x0E00U) != 0x0A00U || is_transfer) {
        return {};
    }
    const std::uint32_t operation = first >> 4 & 0b1011U;
    const bool is_root = operation == 0b1011 && (first & 0xFU) == 1 && (second >> 6 & 3U) == 3;
    if (operation == 0b1000 || is_root) {
        return {Class::float_divide, 1, false};
    }
    const bool is_fused = operation <= 0b0001 || operation == 0b1001 || operation == 0b1010;
    return {is_fused ? Class::float_fused : Class::floating, 1, false};
}

Decoded thumb_32(std::uint32_t first, std::uint32_t second) {
    const bool is_load = (first >> 4 & 1U) != 0;
    if (is_hint(first, second)) {
        return {};
    }
    if ((first & 0xFE40U) == 0xE800U) {  // multiple
        return access(is_load, std::popcount(second));
    }
    if ((first & 0xFE40U) == 0xE840U) {  // dual, exclusive, table branch
        return access(is_load, words_of_dual(first));
    }
    if ((first & 0xFE00U) == 0xF800U) {  // single
        return access(is_load);
    }
    if ((first & 0xFE00U) == 0xEC00U && (first & 0x01E0U) != 0x0040U && (first & 0x01E0U) != 0) {  // VLDR, VLDM
        const bool is_single = (first & 0x0120U) == 0x0100U, is_double = (second & 0x0100U) != 0;
        return access(is_load, is_single ? (is_double ? 2 : 1) : static_cast<int>(second & 0xFFU));
    }
    if ((first & 0xFF00U) == 0xEE00U) {
        return floating(first, second);
    }
    if ((first & 0xFF80U) == 0xFB00U) {
        return {Class::multiply, 1, false};
    }
    if ((first & 0xFF80U) == 0xFB80U) {
        const bool is_division = (first & 0x50U) == 0x10U && (second >> 4 & 0xFU) == 0xF;  // SDIV, UDIV
        return {is_division ? Class::divide : Class::multiply_high, 1, false};
    }
    if ((first & 0xF800U) == 0xF000U && (second & 0x8000U) != 0) {  // branches and control
        const bool is_far = (second & 0x1000U) != 0, is_conditional = (first & 0x0380U) != 0x0380U;
        return is_far ? k_jump : (second & 0x4000U) == 0 && is_conditional ? k_branch : Decoded{};  // B.W BL | B<c>.W
    }
    return {};
}

Decoded riscv_16(std::uint32_t half) {
    const std::uint32_t quadrant = half & 3U, function = half >> 13;
    if (quadrant == 1) {
        return function == 0b001 || function == 0b101 ? k_jump : function >= 0b110 ? k_branch : Decoded{};
    }
    if (quadrant == 2 && function == 0b100) {  // C.JR, C.JALR
        return (half & 0x7CU) == 0 && (half & 0xF80U) != 0 ? k_jump : Decoded{};
    }
    return function == 0b010 || function == 0b011   ? access(true)
           : function == 0b110 || function == 0b111 ? access(false)
                                                    : Decoded{};
}

Decoded riscv_32(std::uint32_t first, std::uint32_t second) {
    const std::uint32_t function = first >> 12 & 7U;
    switch (first & 0x7FU) {
        case 0x03:
            return access(true);
        case 0x23:
            return access(false);
        case 0x33:
            return second >> 9 != 1 ? Decoded{}
                                    : Decoded{function == 0   ? Class::multiply
                                              : function <= 3 ? Class::multiply_high
                                                              : Class::divide,
                                              1, false};
        case 0x63:
            return k_branch;
        case 0x67:
        case 0x6F:
            return k_jump;
        default:
            return {};
    }
}

}  // namespace

Block Emulator::decode(std::uint32_t address, std::uint32_t size) const {
    Block block;
    Counters& each = block.each;
    const std::uint32_t begin = address - m_firmware.flash;
    const auto half_at = [&](std::uint32_t at) {
        return static_cast<std::uint32_t>(m_flash.data()[at] | m_flash.data()[at + 1] << 8);
    };
    const auto count = [&](Class what, std::uint32_t times = 1) {
        each.classes[static_cast<std::size_t>(what)] += times;
    };
    bool is_behind_access = false;
    for (std::uint32_t at = begin; at + 2 <= begin + size;) {
        const std::uint32_t half = half_at(at);
        const bool is_long = is_arm() ? half >> 11 >= 0b11101 : (half & 3U) == 3;
        const std::uint32_t next = is_long ? half_at(at + 2) : 0;
        const Decoded decoded = is_arm() ? (is_long ? thumb_32(half, next) : thumb_16(half))
                                         : (is_long ? riscv_32(half, next) : riscv_16(half));
        const bool is_single = decoded.is_access() && decoded.words == 1;
        count(is_arm() && is_single && is_behind_access ? Class::pipelined : decoded.what);
        if (decoded.is_access()) {
            ++(decoded.what == Class::load ? each.loads : each.stores);
            count(Class::word, decoded.words - 1);
        }
        is_behind_access = is_single;
        block.ends_with_branch = decoded.is_conditional;
        ++block.instructions;
        at += is_long ? 4 : 2;
    }
    each.instructions = block.instructions;
    each.code_words = (size + 3) / 4;
    block.end = address + size;
    return block;
}

}  // namespace metamorph::emu

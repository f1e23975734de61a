// Boards for programs of a few instructions, written down as their encodings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/trace.h"

namespace metamorph::emu {

constexpr std::uint32_t k_sram = 0x20000000, k_nvm = 0x21000000, k_io = 0x21800000;

inline std::string halves(const std::vector<std::uint16_t>& code) {
    std::string bytes;
    for (const std::uint16_t half : code) {
        bytes += static_cast<char>(half & 0xFF);
        bytes += static_cast<char>(half >> 8);
    }
    return bytes;
}

inline std::string words(const std::vector<std::uint32_t>& code) {
    std::string bytes;
    for (const std::uint32_t word : code) {
        bytes += halves({static_cast<std::uint16_t>(word & 0xFFFF), static_cast<std::uint16_t>(word >> 16)});
    }
    return bytes;
}

// 64 KiB of flash, SRAM and NVM each; `program` from the first byte of flash.
inline Firmware tiny_board(Firmware::Core core, std::uint32_t flash, const std::string& program) {
    Firmware board;
    board.core = core;
    board.entry = board.flash = flash;
    board.flash_bytes = board.sram_bytes = board.nvm_bytes = 0x10000;
    board.sram = k_sram;
    board.nvm = k_nvm;
    board.io = k_io;
    board.inputs = 0x21900000;
    board.instructions_max = 1000;
    board.load.push_back({flash, program});
    return board;
}

}  // namespace metamorph::emu

#include "emu/worker/spi_chip.h"

namespace metamorph::emu {
namespace {

enum Opcode : std::uint8_t { write = 0x02, read = 0x03, wrdi = 0x04, rdsr = 0x05, wren = 0x06, rdid = 0x9F };
constexpr std::uint8_t k_silent = 0xFF, k_latch = 0x02;

}  // namespace

void SpiChip::select(bool is_selected) {
    if (m_is_selected && !is_selected && m_shifted > 0) {
        m_is_enabled = m_opcode == wren || (m_is_enabled && m_opcode != wrdi && m_opcode != write);
    }
    m_is_selected = is_selected;
    m_shifted = 0;
    m_address = 0;
}

void SpiChip::shift(std::uint8_t in) {
    m_last = k_silent;
    if (m_is_selected) {
        m_last = answer(in, m_shifted++);
    }
}

std::uint8_t SpiChip::answer(std::uint8_t in, std::uint32_t position) {
    if (position == 0) {
        m_opcode = in;
        return k_silent;
    }
    switch (m_opcode) {
        case rdsr:
            return m_is_enabled ? k_latch : 0;
        case rdid:
            return position <= m_id.size() ? static_cast<std::uint8_t>(m_id[position - 1]) : 0;
        case read:
        case write:
            if (position <= m_address_bytes) {
                m_address = m_address << 8 | in;
                return k_silent;
            }
            return access(in);
        default:
            return k_silent;
    }
}

std::uint8_t SpiChip::access(std::uint8_t in) {
    const std::uint32_t at = m_address % m_bytes;
    m_address = at + 1;
    if (m_opcode == read) {
        return m_memory.spi_read(at);
    }
    if (m_is_enabled) {
        m_memory.spi_write(at, in);
    } else {
        m_memory.spi_refused(at);
    }
    return k_silent;
}

}  // namespace metamorph::emu

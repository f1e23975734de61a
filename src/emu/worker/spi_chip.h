// An FRAM chip behind SPI (MB85RS4MT and its kin): opcodes, write-enable latch, address that runs on. A byte of a WRITE
// is in the memory when its eighth bit is shifted in. Block protection is never set: no opcode here sets it.
#pragma once

#include <cstdint>
#include <string>

namespace metamorph::emu {

// What the chip does with its memory.
class SpiMemory {
public:
    virtual ~SpiMemory() = default;
    virtual std::uint8_t spi_read(std::uint32_t address) = 0;
    virtual void spi_write(std::uint32_t address, std::uint8_t value) = 0;
    virtual void spi_refused(std::uint32_t address) = 0;  // a WRITE without write enable
};

class SpiChip {
public:
    SpiChip(SpiMemory& memory, std::uint32_t bytes, std::uint32_t address_bytes, std::string id)
        : m_memory(memory), m_bytes(bytes), m_address_bytes(address_bytes), m_id(std::move(id)) {}

    void power_on() {
        m_is_selected = m_is_enabled = false;
        m_shifted = m_address = 0;
        m_opcode = 0;
        m_last = 0xFF;
    }
    // All that matters of its state while it is not selected.
    struct Latch {
        bool is_selected = false, is_enabled = false;
        friend bool operator==(const Latch&, const Latch&) = default;
    };
    Latch latch() const { return {m_is_selected, m_is_enabled}; }
    void set_latch(const Latch& latch) { m_is_selected = latch.is_selected, m_is_enabled = latch.is_enabled; }
    void select(bool is_selected);
    void shift(std::uint8_t in);  // nothing happens while the chip is not selected
    std::uint8_t last() const { return m_last; }

private:
    std::uint8_t answer(std::uint8_t in, std::uint32_t position);
    std::uint8_t access(std::uint8_t in);

    SpiMemory& m_memory;
    std::uint32_t m_bytes, m_address_bytes;
    std::string m_id;
    bool m_is_selected = false, m_is_enabled = false;
    std::uint32_t m_shifted = 0, m_address = 0;
    std::uint8_t m_opcode = 0, m_last = 0xFF;
};

}  // namespace metamorph::emu

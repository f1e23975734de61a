// Counting block by block: what a block of instructions costs is found once, when it is first executed (decode.cpp);
// then a run of it adds one to a number. Only where a block goes on, and what it does to NVM, is counted each time.
#include "emu/worker/emulator.h"

namespace metamorph::emu {

void Emulator::on_block(std::uint32_t address, std::uint32_t size) {
    m_pc = address;
    const std::uint32_t at = (address - m_firmware.flash) >> 1;
    if (at >= m_block_at.size()) {
        return;
    }
    if (m_block >= 0) {
        Block& before = m_blocks[static_cast<std::size_t>(m_block)].second;
        before.taken += before.end != address ? 1 : 0;
    }
    std::int32_t& slot = m_block_at[at];
    if (slot < 0) {
        slot = static_cast<std::int32_t>(m_blocks.size());
        m_blocks.emplace_back(address, decode(address, size));
        m_blocks.back().second.is_mark = m_is_mark[at] != 0;
    }
    m_block = slot;
    Block& block = m_blocks[static_cast<std::size_t>(slot)].second;
    if (block.is_mark) {
        m_watcher.mark_reached(address);
    }
    ++block.runs;
    m_instructions += block.instructions;
    if (m_instructions > m_instructions_max) {
        halt_with(HaltKind::endless);
    }
}

void Emulator::on_bus_byte() {
    if (m_block >= 0) {
        ++m_blocks[static_cast<std::size_t>(m_block)].second.touched.bus_bytes;
    }
}

void Emulator::count_nvm_read(std::uint32_t bytes) {
    if (m_block >= 0) {
        Counters& touched = m_blocks[static_cast<std::size_t>(m_block)].second.touched;
        touched.nvm_bytes_read += bytes;
        ++touched.nvm_reads;
    }
}

void Emulator::count_nvm_write(std::uint32_t address, std::uint32_t bytes) {
    if (m_block >= 0) {
        Counters& touched = m_blocks[static_cast<std::size_t>(m_block)].second.touched;
        touched.nvm_bytes_written += bytes;
        touched.nvm_units_written +=
            (address + bytes - 1) / m_firmware.unit_bytes - address / m_firmware.unit_bytes + 1;
    }
}

Counters Emulator::counted(const Block& block) const {
    Counters sum = block.touched;
    sum.add(block.each, static_cast<std::int64_t>(block.runs));
    const InstructionClass taken =
        block.ends_with_branch ? InstructionClass::branch_taken : InstructionClass::jump_taken;
    sum.classes[static_cast<std::size_t>(taken)] += block.taken;
    return sum;
}

Counters Emulator::counted() const {
    Counters sum;
    for (const auto& [address, block] : m_blocks) {
        sum.add(counted(block));
    }
    return sum;
}

std::vector<std::pair<std::uint32_t, Counters>> Emulator::counted_blocks() const {
    std::vector<std::pair<std::uint32_t, Counters>> blocks;
    for (const auto& [address, block] : m_blocks) {
        blocks.emplace_back(address, counted(block));
    }
    return blocks;
}

}  // namespace metamorph::emu

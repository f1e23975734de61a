#include "pipeline/emulated_board.h"

namespace metamorph::pipeline {

using app::MemoryKind;

emu::Firmware board_of(const app::Device& device) {
    const auto small = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    emu::Firmware board;
    board.core = device.core == app::Core::cortex_m4f ? emu::Firmware::Core::cortex_m4f : emu::Firmware::Core::rv32imc;
    const app::Memory& flash = device.memory(MemoryKind::flash);
    const app::Memory& sram = device.memory(MemoryKind::sram);
    const app::Memory& nvm = device.memory(MemoryKind::nvm);
    board.flash = small(flash.address), board.flash_bytes = small(flash.bytes);
    board.sram = small(sram.address), board.sram_bytes = small(sram.bytes);
    board.is_mapped = device.attachment == app::Attachment::mapped;
    board.nvm = small(nvm.address), board.nvm_bytes = small(nvm.bytes);
    board.unit_bytes = small(nvm.write_unit_bytes);
    board.io = small(device.board.io), board.inputs = small(device.board.inputs), board.spi = small(device.board.spi);
    if (device.spi) {
        board.spi_address_bytes = small(device.spi->address_bytes);
        for (const std::uint64_t byte : device.spi->id) {
            board.spi_id += static_cast<char>(byte);
        }
    }
    return board;
}

}  // namespace metamorph::pipeline

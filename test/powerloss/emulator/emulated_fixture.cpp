#include "powerloss/emulator/emulated_fixture.h"

#include <fmt/format.h>

#include "app/device.h"
#include "pipeline/inputs.h"
#include "pipeline/woven_folder.h"
#include "verify/firmware_build.h"

namespace metamorph {
namespace {

constexpr std::uint64_t k_instructions_max = 1'500'000;  // the network needs 400,000 an inference
constexpr std::size_t k_input_bytes = 64;

std::uint32_t word(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

Result<emu::Firmware> board_for(const std::string& device, const std::filesystem::path& app, int inferences) {
    MM_TRY(const app::Device described, app::find_device(device));
    emu::Firmware board;
    board.core =
        described.core == app::Core::cortex_m4f ? emu::Firmware::Core::cortex_m4f : emu::Firmware::Core::rv32imc;
    MM_TRY(const emu::Program program, emu::Program::read(app, board.core));
    MM_TRY(const verify::FirmwareTables tables, verify::read_tables(program));
    const app::Memory& flash = described.memory(app::MemoryKind::flash);
    const app::Memory& sram = described.memory(app::MemoryKind::sram);
    const app::Memory& nvm = described.memory(app::MemoryKind::nvm);
    board.entry = program.entry();
    board.flash = word(flash.address), board.flash_bytes = word(flash.bytes);
    board.sram = word(sram.address), board.sram_bytes = word(sram.bytes), board.stack_limit = tables.stack_limit;
    board.is_mapped = described.attachment == app::Attachment::mapped;
    board.nvm = word(nvm.address), board.nvm_bytes = word(nvm.bytes), board.used_bytes = tables.nvm_bytes;
    board.io = word(described.board.io), board.inputs = word(described.board.inputs);
    board.spi = word(described.board.spi);
    if (described.spi) {
        board.spi_address_bytes = word(described.spi->address_bytes);
        board.spi_id.assign(described.spi->id.begin(), described.spi->id.end());
    }
    board.load = program.load();
    board.event_function = tables.event_function;
    board.inference_at = tables.inference_at;
    board.task_functions = tables.task_functions;
    board.inferences = static_cast<std::uint32_t>(inferences);
    board.input_bytes = pipeline::random_inputs(1, k_input_bytes * static_cast<std::size_t>(inferences));
    board.instructions_max = k_instructions_max * static_cast<std::uint64_t>(inferences);
    return board;
}

std::unique_ptr<EmulatedFirmware> EmulatedFirmware::build(const std::string& device,
                                                          const std::function<void(FirmwareProject&)>& spoil,
                                                          int inferences) {
    std::unique_ptr<EmulatedFirmware> firmware(new EmulatedFirmware(device));
    spoil(firmware->m_project);
    const auto make = [&]() -> Status {
        const std::filesystem::path folder = firmware->m_project.folder();
        MM_TRY(const pipeline::WovenFolder woven, pipeline::read_woven_folder(folder));
        MM_TRY(const app::Device described, app::find_device(device));
        const app::Compiler& compiler = described.compilers.front();
        MM_TRY(const verify::FirmwareBuild built,
               verify::build_firmware(folder, folder.parent_path() / "build", woven.summary.app_target,
                                      woven.summary.plain_target, {compiler.name, compiler.program, compiler.packages},
                                      2));
        MM_TRY(firmware->m_board, board_for(device, built.app, inferences));
        MM_TRY(firmware->m_program, emu::Program::read(built.app, firmware->m_board.core));
        return {};
    };
    const Status made = make();
    EXPECT_TRUE(made.has_value()) << describe(made.error());
    return made ? std::move(firmware) : nullptr;
}

std::unique_ptr<verify::EmulatedMachine> EmulatedFirmware::record(int workers) const {
    auto machine = verify::EmulatedMachine::record(*m_program, m_board, no_nvm(), workers);
    EXPECT_TRUE(machine.has_value()) << describe(machine.error());
    return machine ? std::move(*machine) : nullptr;
}

emu::CutRun run_with_cut(verify::EmulatedMachine& machine, const std::string& nvm, const emu::CutSpec& cut) {
    auto run = machine.run_with_cut(nvm, cut);
    EXPECT_TRUE(run.has_value()) << describe(run.error());
    return run ? std::move(*run) : emu::CutRun{};
}

std::vector<emu::NvmWrite> writes_of(const emu::CutRun& run) {
    std::vector<emu::NvmWrite> writes;
    for (const emu::RawSegment& segment : run.segments) {
        for (const emu::Step& step : segment.steps) {
            if (step.kind == emu::Step::Kind::write) {
                writes.push_back(step.write);
            }
        }
    }
    return writes;
}

std::string apply(const emu::NvmWrite& write, unsigned mask, std::string nvm) {
    for (unsigned i = 0; i < write.bytes; ++i) {
        if ((mask >> i & 1U) != 0) {
            nvm[write.address + i] = static_cast<char>(write.value >> 8 * i);
        }
    }
    return nvm;
}

std::string print(const emu::NvmWrite& write) {
    return fmt::format("{} bytes {:#x} to NVM {} at {:#x}", write.bytes, write.value, write.address, write.pc);
}

}  // namespace metamorph

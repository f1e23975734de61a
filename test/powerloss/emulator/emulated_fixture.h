// Woven firmware, built with a cross compiler, and all that the emulator must be told to run it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emu/program.h"
#include "emu/trace.h"
#include "powerloss/firmware/firmware_fixture.h"
#include "verify/emulated_machine.h"
#include "verify/firmware_tables.h"

namespace metamorph {

// The woven program in the file `app`, on the board of `device`, with input for `inferences`.
Result<emu::Firmware> board_for(const std::string& device, const std::filesystem::path& app, int inferences);

class EmulatedFirmware {
public:
    // The digits network, split 3,3, after `spoil` has edited the project. Nothing, and a failed expectation, where it
    // cannot be built.
    static std::unique_ptr<EmulatedFirmware> build(
        const std::string& device, const std::function<void(FirmwareProject&)>& spoil = [](FirmwareProject&) {},
        int inferences = 1);

    const std::filesystem::path& app() const { return m_program->path(); }
    const emu::Program& program() const { return *m_program; }
    const emu::Firmware& board() const { return m_board; }
    std::string no_nvm() const { return std::string(m_board.used_bytes, '\0'); }
    std::unique_ptr<verify::EmulatedMachine> record(int workers = 1) const;  // nothing, and a failure: an error

private:
    explicit EmulatedFirmware(const std::string& device) : m_project(device) {}
    FirmwareProject m_project;
    std::optional<emu::Program> m_program;
    emu::Firmware m_board;
};

// All that a life of its own does, in order. Its writes, one after another.
emu::CutRun run_with_cut(verify::EmulatedMachine& machine, const std::string& nvm, const emu::CutSpec& cut);
std::vector<emu::NvmWrite> writes_of(const emu::CutRun& run);
std::string apply(const emu::NvmWrite& write, unsigned mask, std::string nvm);  // the bytes of `mask`
std::string print(const emu::NvmWrite& write);

}  // namespace metamorph

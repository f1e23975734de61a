// Runs a program from reset to its halt, uninterrupted and fast, and counts.
#pragma once

#include <string>

#include "emu/trace.h"
#include "emu/worker/emulator.h"

namespace metamorph::emu {

class PlainRunner : public Watcher {
public:
    explicit PlainRunner(const Firmware& firmware);
    PlainRun run();

    std::uint32_t nvm_read(std::uint32_t address, std::uint32_t bytes) override;
    void nvm_write(std::uint32_t address, std::uint32_t value, std::uint32_t bytes) override;
    void write_refused(std::uint32_t) override {}
    void hand_over(const Output& output) override { m_run.outputs.push_back(output); }
    void poisoned_read(std::uint32_t) override {}
    void mark_reached(std::uint32_t pc) override;
    void returned() override {}

private:
    const Firmware m_firmware;
    Emulator m_emulator;
    std::string m_nvm;
    PlainRun m_run;
    Counters m_counted;  // at the commit before
};

}  // namespace metamorph::emu

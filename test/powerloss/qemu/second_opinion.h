// One woven program on two machines that share no code: our emulator and QEMU. Both cut its power at the same places;
// what they must agree on is in docs/second-opinion.md.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/device.h"
#include "emu/program.h"
#include "powerloss/firmware/firmware_fixture.h"
#include "powerloss/qemu/qemu_board.h"
#include "verify/crash_graph.h"
#include "verify/emulated_machine.h"
#include "verify/firmware_tables.h"

namespace metamorph {

// A place of the first life where power is lost, and what QEMU had seen and what NVM held just then.
struct QemuCut {
    verify::CutPoint at;
    QemuLife before;  // outputs and commits so far
};

class SecondOpinion {
public:
    // Builds the project (edits and all), for QEMU as well; runs the plain program on both machines. `inferences`: as
    // many pseudo-random inputs. Errors: as of what it does; check_failed: the machines differ already here.
    static Result<std::unique_ptr<SecondOpinion>> make(const std::string& device, FirmwareProject& project,
                                                       int inferences);

    // Lets QEMU run the program once from erased NVM and stop at `count` places, spread evenly, and at all outputs.
    Result<std::vector<QemuCut>> cut_in_qemu(std::uint64_t count);
    std::uint64_t writes() const { return m_writes; }  // of that run, in our emulator

    // The verdicts on a cut and on the recovery from it, kinds of failures. Empty: right.
    struct Verdicts {
        std::set<std::string> ours, qemu;
        std::string differs;  // how the machines differ in what they saw; empty: they agree
        bool agree() const { return differs.empty() && ours == qemu; }
    };
    Result<Verdicts> judge(const QemuCut& cut);
    // As `judge`, of two cuts in a row: the second after `second` writes of the recovery.
    Result<Verdicts> judge_twice(const QemuCut& cut, std::uint64_t second);

private:
    SecondOpinion() = default;
    Status build(const std::string& device, FirmwareProject& project, int inferences);
    Status run_plain(const std::filesystem::path& elf, std::uint32_t nvm_at);
    Result<Verdicts> compare(const std::vector<verify::CutPoint>& cuts, const std::vector<QemuLife>& lives);

    emu::Firmware m_board;
    std::unique_ptr<emu::Program> m_app, m_qemu_app;  // the same, or with a model of the SPI chip
    verify::FirmwareTables m_tables, m_qemu_tables;
    std::unique_ptr<verify::EmulatedMachine> m_machine;
    verify::CrashRules m_rules;
    std::unique_ptr<QemuBoard> m_qemu;
    std::vector<emu::Output> m_expected;  // of the plain program, in QEMU
    std::uint64_t m_writes = 0;
};

}  // namespace metamorph

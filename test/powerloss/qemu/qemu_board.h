// The board of docs/decisions/0003-boards.md in QEMU: one process for a program, whose power is switched on and off as
// often as one likes.
//
// Power is cut right after a write to non-volatile memory (NVM): a write watchpoint tells of it. Nothing but
// NVM survives: SRAM is overwritten with a pattern, the I/O window is cleared, and QEMU's system_reset gives processor
// and flash their state after power-on. Rejected:
//  * counting writes by single steps: some hundred thousand steps a boot.
//  * a QEMU plugin that counts and stops: Debian does not ship qemu-plugin.h, and a plugin cannot stop the machine.
//  * a new QEMU for each boot: 140 ms, instead of some 10 ms.
// A watchpoint tells of an instruction, not of its writes: of one that writes several words (STM) only the last gets
// a place of its own. And a write cannot be torn here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emu/program.h"
#include "emu/trace.h"
#include "powerloss/qemu/gdb_link.h"
#include "util/interrupt.h"
#include "util/result.h"
#include "verify/firmware_tables.h"

namespace metamorph {

// Why there is no second opinion; nothing where QEMU is installed.
std::optional<std::string> missing_qemu(emu::Firmware::Core core);

struct QemuLife {
    enum class End { cut, halted, endless } end = End::halted;
    std::uint32_t halt = 0;    // if halted: what was written to the register
    std::uint64_t writes = 0;  // to NVM; only counted where places are asked for
    std::vector<emu::Output> outputs;
    int first_boots = 0;
    std::vector<int> resumed_at;  // commits that the record counted, whenever the runtime chose one: once a boot
    int commits = 0;              // made in this life
    std::string nvm;              // at its end
};

class QemuBoard {
public:
    // `nvm_at`: where QEMU has the NVM. `tables`: nothing for a program without the runtime. Errors: toolchain, system.
    static Result<std::unique_ptr<QemuBoard>> start(const emu::Firmware& board, std::uint32_t nvm_at,
                                                    const std::filesystem::path& elf,
                                                    const verify::FirmwareTables* tables);
    QemuBoard(const QemuBoard&) = delete;
    QemuBoard& operator=(const QemuBoard&) = delete;
    ~QemuBoard();

    // Asked after each write to NVM and each output: is power lost here?
    using IsCut = std::function<Result<bool>(const QemuLife& so_far)>;
    // From power-on with these contents of NVM to the cut, to the halt, or to when it takes too long.
    Result<QemuLife> live(const std::string& nvm, const IsCut& is_cut = nullptr);
    // While `live` asks.
    Result<std::string> read_nvm();

private:
    QemuBoard(const emu::Firmware& board, std::uint32_t nvm_at, const verify::FirmwareTables* tables, pid_t pid,
              int socket);
    Status prepare();
    Status power_on(const std::string& nvm);
    Result<QemuLife> run(const IsCut& is_cut);
    Status see_event(QemuLife& life);
    Status see_output(QemuLife& life);

    const emu::Firmware m_board;
    const std::uint32_t m_nvm_at;
    const verify::FirmwareTables* const m_tables;
    const pid_t m_pid;
    RegisteredChild m_registered;
    GdbLink m_gdb;
    const std::string m_noise;      // what SRAM holds after power-on
    std::uint32_t m_nvm_bytes = 0;  // of the life that is being lived
};

}  // namespace metamorph

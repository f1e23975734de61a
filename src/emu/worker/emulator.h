// A processor with its board, in Unicorn: memories, I/O window, SPI controller. What happens is told to a Watcher,
// which keeps non-volatile memory itself.
#pragma once

#include <unicorn/unicorn.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emu/trace.h"
#include "emu/worker/memory.h"
#include "emu/worker/spi_chip.h"

namespace metamorph::emu {

// mm_event_t of the runtime (mm_port.h)
enum Event : std::uint32_t { boot, first_boot, task_start, commit_start, record_start, commit_done };

class Watcher {
public:
    virtual ~Watcher() = default;
    virtual std::uint32_t nvm_read(std::uint32_t address, std::uint32_t bytes) = 0;  // little-endian
    virtual void nvm_write(std::uint32_t address, std::uint32_t value, std::uint32_t bytes) = 0;
    virtual void write_refused(std::uint32_t address) = 0;  // by the SPI chip: no write enable
    virtual void hand_over(const Output& output) = 0;
    virtual void poisoned_read(std::uint32_t address) = 0;
    // An instruction of set_marks is about to be executed. Watch::blocks: only if it begins a block, as functions do.
    virtual void mark_reached(std::uint32_t pc) = 0;
    virtual void returned() = 0;  // the instruction at watch_return() is about to be executed
};

enum class Watch {
    blocks,       // counts what is executed, block by block: fast
    instructions  // knows each instruction's address, marks, and each access of SRAM
};

// What a called function keeps for its caller, by the calling convention.
struct KeptRegisters {
    std::uint32_t sp = 0, link = 0;
    std::vector<std::uint64_t> others;
};

// Consecutive instructions of which only the last one goes elsewhere.
struct Block {
    std::uint32_t instructions = 0;
    std::uint32_t end = 0;              // address behind it
    bool is_mark = false;               // its first instruction is one of set_marks
    bool ends_with_branch = false;      // a conditional one
    std::uint64_t runs = 0, taken = 0;  // how often it was begun; how often it went on elsewhere than at its end
    Counters each;                      // of a run, but for what depends on where it goes and what it touches
    Counters touched;                   // of all runs: NVM and bus
};

class Emulator : SpiMemory {
public:
    static constexpr std::uint32_t k_io_bytes = 0x100000, k_io_data = 0x1000;  // the I/O window; its bytes of outputs

    // Errors of Unicorn are thrown as std::runtime_error.
    Emulator(const Firmware& firmware, Watch watch, Watcher& watcher);
    Emulator(const Emulator&) = delete;
    Emulator& operator=(const Emulator&) = delete;
    ~Emulator() override;

    void set_marks(const std::vector<std::uint32_t>& addresses);
    void watch_return(std::uint32_t address) { m_return_at = address & ~1U; }

    // A reset: processor and board are as new, and what a reset does not define is poisoned: SRAM, general and
    // floating-point registers, flags, the output window. There are four patterns; any number chooses one. Then run()
    // starts at reset.
    void power_on(unsigned pattern);
    // What all registers held at power-on that a reset does not define, in 32 bits; k_recorded_poison for pattern 0.
    static constexpr std::uint32_t k_recorded_poison = 0xB0B0B0B1;
    std::uint32_t register_poison() const { return m_register_poison; }
    // Of 32 bits of a register, or of a copy of one on the stack: the same as in a run with pattern 0, where `recorded`
    // was found. A register that nobody has set since power-on is the same, too.
    bool is_as_recorded(std::uint32_t recorded, std::uint32_t now) const {
        return recorded == now || (recorded == k_recorded_poison && now == m_register_poison);
    }
    bool are_as_recorded(const KeptRegisters& recorded, const KeptRegisters& now) const;
    // Runs until stop() or until the program stops by itself; halt() says how.
    void run();
    void stop();  // from a Watcher; exact if called from mark_reached
    const RawHalt& halt() const { return m_halt; }
    void halt_with(HaltKind kind);

    std::uint32_t pc() const { return m_pc; }  // of the instruction (Watch::blocks: block) that is being executed
    std::uint64_t instructions() const { return m_instructions; }
    void limit_instructions(std::uint64_t most) { m_instructions_max = m_instructions + most; }

    KeptRegisters kept_registers() const;
    std::uint32_t argument(unsigned index) const;  // of a function at its first instruction
    std::uint32_t result() const;                  // of a function that has just returned
    void return_with(std::uint32_t value);         // as if the function that was about to begin had done its work
    // As if it had come to the first instruction of another function, by its own way.
    struct FunctionEntry {
        std::uint32_t pc = 0;
        KeptRegisters kept;
        std::vector<std::uint32_t> arguments;
        SpiChip::Latch chip;
    };
    FunctionEntry function_entry() const;
    void continue_at(const FunctionEntry& entry);
    std::vector<std::uint32_t> registers() const;  // general ones, in their order

    std::uint8_t* sram() const { return m_sram.data(); }
    Marks& sram_marks() { return m_sram_marks; }
    std::uint32_t sram_word(std::uint32_t address) const;

    // Watch::blocks: all that was executed since the beginning, by block and in sum. A block counts as executed when it
    // begins.
    std::vector<std::pair<std::uint32_t, Counters>> counted_blocks() const;
    Counters counted() const;
    // That this happened in the block that is being executed.
    void count_nvm_read(std::uint32_t bytes);
    void count_nvm_write(std::uint32_t address, std::uint32_t bytes);

private:
    friend struct Callbacks;
    std::uint8_t spi_read(std::uint32_t address) override;
    void spi_write(std::uint32_t address, std::uint8_t value) override;
    void spi_refused(std::uint32_t address) override;

    void map_memories();
    void poison_registers(unsigned pattern);
    void poison_board();
    void add_hooks(Watch watch);
    void on_block(std::uint32_t address, std::uint32_t bytes);
    void on_io_write(std::uint32_t at, std::uint32_t value, std::uint32_t bytes);
    std::uint32_t on_io_read(std::uint32_t at, std::uint32_t bytes);
    void on_bus_byte();
    Block decode(std::uint32_t address, std::uint32_t bytes) const;
    Counters counted(const Block& block) const;
    std::uint64_t read_register(int id) const;
    void write_register(int id, std::uint64_t value);
    bool is_arm() const { return m_firmware.core == Firmware::Core::cortex_m4f; }

    const Firmware& m_firmware;
    Watcher& m_watcher;
    uc_engine* m_engine = nullptr;
    uc_context* m_as_new = nullptr;  // of the processor, before its first instruction
    Bytes m_flash, m_sram, m_inputs, m_system, m_io;
    std::uint32_t m_io_written = k_io_bytes;  // end of what was written there since power-on
    std::uint32_t m_register_poison = k_recorded_poison;
    std::vector<std::uint8_t> m_noise;  // what SRAM holds with the last pattern; made once
    Marks m_sram_marks;
    SpiChip m_chip;
    std::vector<std::uint8_t> m_is_mark;   // by half word of flash
    std::vector<std::int32_t> m_block_at;  // by half word of flash: into m_blocks; -1: none yet
    std::vector<std::pair<std::uint32_t, Block>> m_blocks;
    std::int32_t m_block = -1;  // of m_blocks: the one that is being executed
    std::uint32_t m_pc = 0, m_resume = 0, m_return_at = UINT32_MAX;
    bool m_is_stopping = false, m_skips_mark = false;
    RawHalt m_halt;
    std::uint64_t m_instructions = 0, m_instructions_max = UINT64_MAX;
};

}  // namespace metamorph::emu

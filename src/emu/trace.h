// What firmware did between two moments, as the emulator saw it. Addresses of non-volatile memory (NVM) count from its
// first byte, wherever it is mapped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/counters.h"
#include "util/interval_set.h"

namespace metamorph::emu {

struct NvmWrite {  // one write unit
    std::uint32_t address = 0;
    std::uint32_t value = 0;  // little-endian, `bytes` of it
    std::uint8_t bytes = 1;   // 1, 2 or 4
    std::uint32_t pc = 0;
};

struct Output {
    std::uint32_t sequence = 0, index = 0;
    std::string bytes;
};

struct Step {
    enum class Kind : std::uint8_t {
        write,
        body,        // a part of the recording, whose effects were applied instead of running it
        output,      // handed over
        first_boot,  // the runtime found no record
        resume,      // the runtime chose the record that it goes on from
        commit       // a commit is complete: always the last step of a segment
    };
    Kind kind = Kind::write;
    NvmWrite write;
    int index =
        -1;  // body: into Recording::bodies; output: into Segment::outputs; resume: commits that the record counts
};

// How a program stops by itself or is stopped.
enum class HaltKind : std::uint8_t {
    none,         // it goes on: the trace ends here for another reason
    idle,         // no more input
    no_progress,  // the runtime reports a task that never commits
    fatal,        // mm_port_fatal, a bad table, a memory that does not answer
    crashed,      // the processor stopped: no such memory, no such instruction
    endless,      // more instructions than one boot may take
    cut           // the power, as asked for
};

struct RawHalt {
    HaltKind kind = HaltKind::none;
    std::uint32_t code = 0;  // written to the board's halt register: 1 + mm_status_t, in bits 16 to 31 the task
    std::uint32_t pc = 0;
    std::string what;  // crashed: what the emulator says
};

// Something that must not happen, whatever the result.
struct RawFault {
    enum class Kind : std::uint8_t {
        poisoned_read,             // of SRAM that was not written in this boot
        spi_write_without_enable,  // the chip ignores it
        write_outside              // NVM beyond what the program may use
    };
    Kind kind = Kind::poisoned_read;
    std::uint32_t pc = 0, address = 0;
};

// From a reset or a commit to the next commit, or to where the program stops.
struct RawSegment {
    std::vector<Step> steps;
    std::vector<Output> outputs;
    std::vector<RawFault> faults;
    RawHalt halt;
    std::uint64_t instructions = 0;
    // Of a recording: steps [begin, end) are those of the part number `part`, which boots need not run again.
    struct Part {
        std::int32_t begin = 0, end = 0, part = 0;
    };
    std::vector<Part> parts;
};

struct Run {  // consecutive bytes
    std::uint32_t address = 0;
    std::string bytes;
};

// An image of NVM to boot from: as the recording's at `boundary`, but for `differs`; what lies in `unknown` may hold
// anything.
struct RawImage {
    std::uint32_t boundary = 0;
    std::vector<Run> differs;
    std::vector<Interval> unknown;
};

struct RawBoot {
    // It read a byte of `unknown` before writing it: nothing else in here is meant to be used.
    bool needs_unknown = false;
    std::uint32_t unknown_address = 0, unknown_bytes = 0, unknown_pc = 0;

    std::vector<RawSegment> segments;  // from reset on, one at least
    int joined = -1;                   // after them all is as in the recording from this boundary on; -1: it stopped
    int like = -1;     // after the first segment it goes on as did the boot that said `watched`, last, with this number
    int watched = -1;  // boots that go on as this one say `like` and this number
    std::vector<Interval> needed;  // if asked for: NVM that the boot and what follows read before writing it
};

// When to cut the power of a run: as soon as so many write units and so many outputs are complete; with a mask (bit i:
// byte i) the next write unit is torn. `pattern`: of what SRAM and registers are poisoned with at power-on.
//
// Of a write unit that is wider than the store into it, nothing need be left: with k_ruined and a variant as the mask,
// all of it holds other bytes, those that the program did not write included.
constexpr std::uint32_t k_ruined = 0x10, k_ruins = 3;  // ones, zeros, noise
constexpr std::uint8_t ruined_byte(std::uint32_t variant, std::uint32_t address) {
    const std::uint32_t noise = ((address + 1) * 2654435761U) ^ (1U << 20);
    return static_cast<std::uint8_t>(variant == 0 ? 0xFFU : variant == 1 ? 0U : noise >> 16);
}

struct CutSpec {
    static constexpr std::uint64_t k_never = UINT64_MAX;
    std::uint64_t units = k_never;
    std::uint32_t mask = 0;
    std::uint32_t outputs = 0;
    std::uint32_t pattern = 0;  // any number; there are four patterns
};

// What a task's function found when it began, beside what it found there in the recorded run: of the bytes that it read
// then before writing them, those that are not the same.
struct TaskEntry {
    struct Difference {
        bool is_nvm = false;
        std::uint32_t address = 0;  // of SRAM: absolute
        bool is_written = true;     // false: SRAM that nothing has written in this boot
        std::uint32_t pc = 0;       // of NVM: who read it first; 0: nobody did
    };
    struct Reread {  // NVM that the function wrote and then read
        std::uint32_t pc = 0, address = 0, bytes = 0;
    };
    int boundary = 0, task = 0;
    std::vector<Difference> differences;
    std::vector<Reread> rereads;
};

struct CutRun {
    std::vector<RawSegment> segments;
    std::vector<TaskEntry> entries;   // in order; only tasks that the recorded run has at the same boundary
    std::vector<Interval> nvm_reads;  // before this boot wrote there
    std::string nvm;                  // left behind
    std::vector<std::string> sram;    // one: its contents at the end
    std::vector<std::uint32_t> registers;
};

// The uninterrupted run of a program without the runtime, or with.
struct PlainRun {
    std::vector<Output> outputs;
    RawHalt halt;
    Counters counters;
    std::vector<std::pair<std::uint32_t, Counters>> blocks;  // by the address of a block's first instruction
    std::vector<Counters> commits;  // what led to each commit: from the one before, the first from power-on
    // From the top of SRAM down to the deepest byte of the stack that was ever written.
    std::uint32_t stack_bytes = 0;
};

// A program and the board that it runs on (docs/decisions/0003-boards.md).
struct Firmware {
    enum class Core : std::uint8_t { cortex_m4f, rv32imc } core = Core::cortex_m4f;
    std::uint32_t entry = 0;  // of RISC-V; a Cortex-M has its vector table
    std::uint32_t flash = 0, flash_bytes = 0;
    std::uint32_t sram = 0, sram_bytes = 0, stack_limit = 0;  // of a stack that grows down from the end of SRAM
    bool is_mapped = true;
    std::uint32_t nvm = 0, nvm_bytes = 0;  // address if mapped; bytes of the whole memory
    std::uint32_t used_bytes = 0;          // of NVM by the program, from its first byte on
    std::uint32_t unit_bytes = 1;          // of NVM: its write unit, a power of two
    std::uint32_t io = 0, inputs = 0, spi = 0;
    std::uint32_t spi_address_bytes = 3;
    std::string spi_id;
    std::vector<Run> load;  // addresses are absolute
    // Where the emulator looks in; 0: the program has no runtime.
    std::uint32_t event_function = 0;  // mm_port_event
    std::uint32_t inference_at = 0;    // 32-bit variable: inferences that the record counts
    std::vector<std::uint32_t> task_functions;
    // World.
    std::uint32_t inferences = 1;
    std::string input_bytes;             // one inference after another
    std::uint64_t instructions_max = 0;  // a boot
};

}  // namespace metamorph::emu

// What the search for crash states (crash_graph.h) asks of a machine: one recorded run, and boots from images of
// non-volatile memory (NVM). The real one is an emulated board (emulated_machine.h); tests have small ones of their
// own.
//
// Words: a *boundary* b is the moment after the b-th commit of the recorded run (0: power-on); a *segment* leads from
// one boundary to the next, or to the end; a *body* is a part of a segment, from the recorded run, that boots need not
// run again: a task's function, the writing back of what it left.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emu/trace.h"
#include "util/interval_set.h"
#include "util/result.h"

namespace metamorph::verify {

using emu::NvmWrite;
using emu::Output;
using emu::Run;
using emu::Step;

// How a program stops by itself or is stopped.
struct Halt {
    enum class Kind {
        none,         // the segment ends with a commit and the program goes on
        idle,         // no more input
        no_progress,  // the runtime reports a task that never commits
        fatal,        // mm_port_fatal, a bad table, a memory that does not answer
        crashed,      // the processor stopped: no such memory, no such instruction
        endless       // more instructions than one boot may take
    };
    Kind kind = Kind::none;
    std::string what;  // for people: "mm_port_fatal(nvm error) in task 3", "at conv2d (conv.c:41)"
    int task = -1;
};

// Something that must not happen, whatever the result: a read of memory that nobody wrote in this boot, a write that
// the device ignores, a write into flash.
struct Fault {
    std::string kind;   // "poisoned-read", "spi-write-without-enable", …
    std::string where;  // "digits_task_01 (digits_tasks.c:41)"
    std::string what;
};

struct Segment {
    std::vector<Step> steps;
    std::vector<Output> outputs;
    std::vector<Fault> faults;
    Halt halt;
    std::uint64_t instructions = 0;
};

struct Body {
    int boundary = 0;  // of the segment that it belongs to
    int task = -1;
    std::vector<Step> steps;  // writes and outputs in order
    std::vector<Output> outputs;
    IntervalSet written;
    IntervalSet torn;       // with the rest of units that its writes are narrower than
    std::vector<Run> last;  // what its writes leave
};

// The units of `unit_bytes` that `where` touches.
IntervalSet units_of(const IntervalSet& where, std::uint32_t unit_bytes);

struct Recording {
    // Whether a cut in `write` may ruin more than its own bytes.
    bool ruins_beside(const NvmWrite& write) const { return unit_bytes > write.bytes; }

    std::uint32_t nvm_bytes = 0;       // that the program may use, from address 0
    std::uint32_t unit_bytes = 1;      // of NVM: what a cut may ruin, where a store is narrower; a power of two
    int tasks = 0;                     // a chain of so many; boundary b is at task b % tasks
    std::vector<std::string> images;   // NVM at each boundary
    std::vector<IntervalSet> written;  // by each segment
    std::vector<Body> bodies;
    std::vector<std::shared_ptr<const Segment>> segments;  // from power-on to the end
};

// An image: as the recording's at `boundary`, but for `differs`; what lies in `unknown` may hold anything.
struct BootImage {
    int boundary = 0;
    std::vector<Run> differs;
    IntervalSet unknown;
};

struct BootResult {
    // The boot read a byte of `unknown` before writing it: nothing else in here is meant to be used.
    bool needs_unknown = false;
    std::uint32_t unknown_address = 0, unknown_bytes = 0;
    std::string unknown_where;

    std::shared_ptr<const Segment> first;  // from reset to the first commit, or to the end
    int future = -1;                       // what follows the commit: Machine::future(); -1: nothing
};

// What follows a commit, by itself, without another cut: segments up to the end. Two boots have the same future if they
// agree, after their first commit, on everything that the rest reads before writing it: NVM, SRAM, registers.
struct Future {
    std::vector<std::shared_ptr<const Segment>> segments;
};

class Machine {
public:
    virtual ~Machine() = default;
    virtual const Recording& recording() const = 0;
    virtual const Future& future(int index) const = 0;
    // One result an image. Errors: system (the emulator is gone), internal.
    virtual Result<std::vector<BootResult>> boot(const std::vector<BootImage>& images) = 0;
    // By boundary, the NVM that a boot after a clean stop there, and all that follows, read before writing it. Only a
    // hint, which saves the search from finding it out: may be empty.
    virtual Result<std::vector<IntervalSet>> needed_after_clean_stops() { return std::vector<IntervalSet>{}; }
    // What boots have taught it, beside the recording, so that another one with the same recording answers as this one
    // would: futures have the same numbers. restore() comes before the first boot. Errors: options (damaged).
    virtual std::string save() const { return {}; }
    virtual Status restore(const std::string&) { return {}; }
    // "mm_write_block (mm_runtime.c:88)"
    virtual std::string place(std::uint32_t pc) const = 0;
};

}  // namespace metamorph::verify

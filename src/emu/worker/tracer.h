// Runs firmware with the runtime in it, one power cycle at a time, and tells what it did: the recorded run, boots from
// images of NVM that crashes leave, single runs with a cut.
//
// Joining. The recorded run keeps of each *part* (a task's function; writing back what it left) the registers that it
// gets, the bytes that it reads before it writes them and what they held, and what it writes. A boot that comes to that
// part and agrees on all of this need not run it: its effects are applied. So it is with the fetches before a task,
// which the first boot there is seen to do. At a commit, likewise: if the boot agrees with the recorded run on every
// byte that the rest of that run reads before writing it, and on registers, it goes on as recorded, for good. What a
// called function keeps for its caller is by the calling convention; a register that nobody has set since power-on, or
// its copy on the stack, agrees with the recorded run's, whatever either was poisoned with; what lies below the stack
// pointer when a task's function has returned counts as never written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emu/trace.h"
#include "emu/worker/emulator.h"
#include "util/interval_set.h"

namespace metamorph::emu {

class Tracer : public Watcher {
public:
    explicit Tracer(const Firmware& firmware);

    std::vector<RawSegment> record(const std::string& nvm);
    RawBoot boot(const RawImage& image, bool wants_needed);
    CutRun run_with_cut(const std::string& nvm, const CutSpec& cut);

    std::uint32_t nvm_read(std::uint32_t address, std::uint32_t bytes) override;
    void nvm_write(std::uint32_t address, std::uint32_t value, std::uint32_t bytes) override;
    void write_refused(std::uint32_t address) override;
    void hand_over(const Output& output) override;
    void poisoned_read(std::uint32_t address) override;
    void mark_reached(std::uint32_t pc) override;
    void returned() override;

private:
    enum class Mode { record, boot, cut };

    // What a part of the recorded run depends on.
    struct Needs {
        IntervalSet sram, nvm;  // read before written
        std::vector<Run> sram_values, nvm_values;
    };
    struct Phase {
        IntervalSet sram_reads, sram_writes, nvm_reads, nvm_writes;
    };
    struct Part {
        int number = -1;  // of the recording; -1: it writes no NVM
        int task = -1;
        KeptRegisters begin;
        SpiChip::Latch chip;
        Needs needs;
        std::vector<Run> sram_after, nvm_after;   // of what it wrote
        std::vector<std::uint32_t> poison_after;  // words of sram_after that are copies of registers as at power-on
        bool has_steps = false;
        Emulator::FunctionEntry end;  // a function: only `result` counts
        std::uint32_t result = 0;
        bool is_complete = false;
    };
    struct Boundary {  // after a commit
        KeptRegisters registers;
        std::string sram, nvm;  // SRAM only while recording
        Needs needs;            // of all that follows
    };

    void start(Mode mode, unsigned pattern);
    void begin_segment();
    void end_segment();
    void end_phase();
    void enter_task(int task);
    void open_part(std::vector<Part>& parts);
    void close_part();
    bool join(std::vector<Part>& parts, bool is_function);  // true: the emulator stops
    void event(std::uint32_t number);
    void committed();
    bool goes_on_as_known();
    void begin_watching();
    void end_watching();
    void finish_recording();
    static void add_needs(const std::vector<Phase>& phases, IntervalSet& sram, IntervalSet& nvm);
    Needs needs_with_values(IntervalSet sram, IntervalSet nvm, const std::string& sram_bytes,
                            const std::string& nvm_bytes) const;

    enum class Agreement { no, unknown, yes };
    Agreement agrees(const Needs& needs);
    bool agrees(const Run& sram) const;
    void apply(const Part& part);
    void note_reads(const IntervalSet& nvm);
    void compare_entry();  // of the task that is being entered, with the recorded run
    void note_entry_read(std::uint32_t address, std::uint32_t bytes);
    void note_unknown(std::uint32_t address, std::uint32_t bytes);
    std::string sram_copy() const;
    bool is_unknown(std::uint32_t address, std::uint32_t bytes) const;
    void power_cut();
    void ruin_unit(std::uint32_t address);
    bool is_cut_due() const { return m_units >= m_cut.units && m_outputs >= m_cut.outputs; }
    void forget_stack_below(std::uint32_t sp);

    const Firmware m_firmware;
    Emulator m_emulator;
    std::vector<std::int32_t> m_task_at;  // by half word of flash: task whose function begins there, or -1
    std::string m_nvm;
    Marks m_nvm_marks;
    std::vector<std::uint8_t> m_unknown;  // by byte of NVM
    bool m_has_unknown = false;

    Mode m_mode = Mode::boot;
    std::vector<RawSegment> m_segments;
    std::uint64_t m_segment_began = 0;  // instructions
    int m_commits = -1;                 // that the program counts; -1: it has not said yet
    int m_task = -1;                    // in whose function we are; -1: in none
    std::uint32_t m_task_sp = 0;
    const Part* m_join = nullptr;  // stopped to apply it
    bool m_joins_function = false;
    Part* m_open = nullptr;  // being seen
    std::size_t m_open_steps = 0;
    std::string m_open_sram, m_open_nvm;  // at its beginning
    RawBoot m_boot;
    bool m_is_over = false;

    CutSpec m_cut;
    std::uint64_t m_units = 0;
    std::uint32_t m_outputs = 0;
    bool m_is_cut = false;
    std::vector<TaskEntry> m_entries;

    std::vector<Part> m_bodies, m_write_backs, m_fetches;  // by boundary; fetches: as boots have done them
    // What follows the first commit of a boot, by where it resumed: unlike the recorded run it fetches what earlier
    // boots left. Seen with the first boot there; boots that agree with its needs go on like it.
    struct Watched {
        Boundary after;
        bool is_complete = false;
    };
    std::vector<Watched> m_watched;
    int m_watching = -1;                // of m_watched, in this boot
    std::vector<Phase> m_watch_phases;  // since its first commit
    int m_parts = 0;
    IntervalSet m_boot_needs, m_boot_writes;  // of NVM, in earlier phases of this boot
    std::vector<Boundary> m_boundaries;
    std::vector<std::vector<Phase>> m_phases;  // by segment
};

}  // namespace metamorph::emu

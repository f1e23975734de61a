// A machine small enough to try every cut of: a program in C++ on a few words of non-volatile memory, with a runtime of
// two sealed slots like the real one, and faults that can be switched on. It boots from any image, and can also be
// driven by brute force.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "verify/crash_graph.h"
#include "verify/machine.h"

namespace metamorph::verify::test {

enum class ToyFault {
    none,
    commit_before_data,
    torn_flag,             // the task number is one word that is overwritten, without slots
    active_slot,           // the record is written over the active one
    write_after_read,      // a task replaces what it has read
    counter_at_boot,       // a number of boots is added to the output
    output_from_volatile,  // an output handed over twice differs
    neighbour              // a task writes beside what it has read, in the same 8 bytes
};

struct ToyOptions {
    ToyFault fault = ToyFault::none;
    int tasks = 3, inferences = 2;
    std::uint32_t unit_bytes = 1;
};

class ToyMachine : public Machine {
public:
    explicit ToyMachine(ToyOptions options);
    const Recording& recording() const override { return m_recording; }
    const Future& future(int index) const override { return m_futures[static_cast<std::size_t>(index)]; }
    Result<std::vector<BootResult>> boot(const std::vector<BootImage>& images) override;
    Result<std::vector<IntervalSet>> needed_after_clean_stops() override;
    std::string place(std::uint32_t pc) const override;
    CrashRules rules() const;

    // Every cut, before, inside and after every write unit, `depth` times in a row, each boot for real: the kinds of
    // failures.
    std::set<std::string> brute_force(int depth);

private:
    struct Life;
    void record();
    BootResult result_of(Life& life);
    void force(const std::string& nvm, int boundary, std::size_t delivered, int depth, std::set<std::string>& kinds);

    ToyOptions m_options;
    Recording m_recording;
    std::vector<Future> m_futures;
    std::vector<Output> m_expected;
};

}  // namespace metamorph::verify::test

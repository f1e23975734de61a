// The graph of crash states: every image of NVM that some number of power cuts can leave behind, booted once each,
// until no new one appears. So the answer holds for any number of cuts, after every write unit and inside it. The
// method and why it is sound: docs/proof.md.
//
// Cost: an image stands for many. What was written since the last *significant* write is left unknown; a write is
// significant if some boot reads what it wrote before writing it, which is found out, never told. What no boot needs is
// not looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "util/result.h"
#include "verify/machine.h"

namespace metamorph::verify {

// One power cut, counted from the power-on before it.
struct CutPoint {
    std::uint64_t units = 0;  // write units that were complete
    unsigned mask = 0;  // bytes of the next one that were written; 0: none; emu::k_ruined and more: its unit is lost
    std::uint32_t outputs =
        0;  // outputs handed over before the cut; only told where it differs from one cut to another
    std::string print() const;  // "17", "17~3" (torn), "17!2" (after output 2)
};

// The cuts that lead to a state, newest first.
struct CutPath {
    std::string start;  // the oldest only: what NVM held before the first power-on, no cut ("ones"); empty: a cut
    CutPoint cut;
    std::shared_ptr<const CutPath> before;
    std::shared_ptr<const Segment> segment;  // that was cut
    std::uint64_t unit = 0;                  // write units of it that were complete
};
std::string print(const std::shared_ptr<const CutPath>& path);  // "17~3+5"; "" for none
int cuts_of(const std::shared_ptr<const CutPath>& path);

struct CrashFailure {
    std::string symptom;  // what was observed: "wrong-output", "lost-progress", "poisoned-read", …
    std::string cuts;     // print(path): what replays it
    std::string what;     // a sentence
    std::string where;    // of the last cut: "mm_write_block (mm_runtime.c:88)"
    int task = -1;
    friend bool operator==(const CrashFailure&, const CrashFailure&) = default;
};

// What NVM may hold before the first power-on, beside what it held before the recorded run.
struct CrashStart {
    std::string name;   // "ones": the first word of ids of what follows
    std::string image;  // all of NVM
};

struct CrashRules {
    std::vector<CrashStart> starts;
    std::vector<Output> expected;         // in order; of all inferences
    std::uint32_t attempts_max = 16;      // so many boots at one commit may end in a report of no progress
    std::vector<IntervalSet> may_write;   // by task: the NVM that a segment of it may write; empty: anything
    std::vector<Interval> regions;        // homes in NVM: needed as a whole if at all
    std::uint32_t header_bytes = 0;       // before the homes: reading there what was cut short is the runtime's trade
    std::size_t failures_max = 20;        // then the search ends
    std::uint64_t boots_max = 1'000'000;  // a program whose graph does not close ends here, as a failure
    int depth = 0;                        // cuts in a row; 0: any number
    std::function<void(std::uint64_t boots)> progress;
    std::function<bool()> is_interrupted;  // asked now and then; may be empty: the search cannot be interrupted
};

struct CrashVerdict {
    bool is_closed = false;   // every state was looked at
    std::uint64_t units = 0;  // write units of the recorded run: each is a cut, each is torn
    std::uint64_t boots = 0, states = 0, significant_units = 0, torn_states = 0, passes = 0;
    std::uint64_t instructions = 0;  // of boots
    std::vector<CrashFailure> failures;
    bool is_interrupted = false;  // nothing else in here is meant to be used, but for `state`
    std::string state;            // for another search to go on from; only where there is CrashRules::is_interrupted
};

// `state`: of an earlier search of the same firmware by the same rules; empty: from the beginning. Errors: as of the
// machine; options (the state is damaged).
Result<CrashVerdict> search_crash_states(Machine& machine, const CrashRules& rules, const std::string& state = "");

}  // namespace metamorph::verify

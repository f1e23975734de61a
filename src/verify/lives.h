// Power cycles one after another, each really run, from its reset to its cut or its end: nothing is merged, joined or
// left unknown. Slow, and another way to the same verdict as the search (crash_graph.h): for tests, for `--no-merge`,
// and to see one failure again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "util/result.h"
#include "verify/crash_graph.h"
#include "verify/emulated_machine.h"

namespace metamorph::verify {

// "noise+17~3+5!2": what NVM held at first, and the cuts.
struct CutList {
    std::string start;  // empty: as before the recorded run
    std::vector<CutPoint> cuts;
};
// Errors: options (no such form).
Result<CutList> parse_cuts(const std::string& id);

struct Life {
    std::vector<Segment> segments;
    std::vector<emu::TaskEntry> entries;
    std::vector<Interval> nvm_reads;  // before this life wrote there
    // Of a life that was cut: what its last segment would still have written, and whether a commit would have followed.
    std::vector<NvmWrite> writes_left;
    bool is_commit_ahead = false;
    bool is_committed() const { return is_commit_ahead && writes_left.empty(); }  // and could not say so any more
    std::uint64_t instructions = 0;
    std::string end;  // for people: "cut after write 17, at mm_write_nvm (mm_runtime.c:59)"
    std::string nvm;  // left behind
    std::vector<std::uint32_t> registers;
    std::string sram;
};

struct Replay {
    std::vector<Life> lives;  // the last one has no cut
    std::vector<CrashFailure> failures;
};
// Errors: options (an unknown start; a life ends before its cut), as of the machine.
Result<Replay> replay(EmulatedMachine& machine, const CrashRules& rules, const CutList& cuts);

struct OneByOneRequest {
    int depth = 1;                          // cuts in a row
    std::uint64_t cuts_max = UINT64_MAX;    // of the first ones, spread evenly
    std::uint64_t second_max = UINT64_MAX;  // cuts of each recovery, spread evenly, where depth is 2 or more
    std::function<void(std::uint64_t, std::uint64_t)> progress;  // done, of how many first cuts
    std::function<bool()> is_interrupted;  // asked before each cut; may be empty: it cannot be interrupted
    std::string
        state;  // of an earlier run of the same firmware by the same rules and numbers; empty: from the beginning
};
struct OneByOneVerdict {
    std::uint64_t places = 0;  // where the first cut could be: write units, torn ones, outputs
    std::uint64_t cuts = 0;    // tried, of all depths
    std::vector<CrashFailure> failures;
    bool is_interrupted = false;  // nothing else in here is meant to be used, but for `cuts` and `state`
    std::string state;            // for another run to go on from: all first cuts that were done to their end
};
// Errors: as of the machine; options (the state is damaged).
Result<OneByOneVerdict> cut_one_by_one(EmulatedMachine& machine, const CrashRules& rules,
                                       const OneByOneRequest& request);

}  // namespace metamorph::verify

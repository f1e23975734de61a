// One segment, walked through write by write: the images that cuts in it leave behind, and the rules that it must keep.
// Internal to the search (crash_graph.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verify/crash_graph.h"
#include "verify/crash_image.h"

namespace metamorph::verify {

// What the search has found out about the program so far. Only grows; where it grows, what was concluded before is done
// again.
struct CrashTables {
    std::vector<IntervalSet> needed_by_boots;  // by boundary: NVM that some boot read before writing it
    std::vector<IntervalSet> significant;      // by boundary: of what the segment writes, that some boot read so
    std::vector<IntervalSet> live;  // by boundary: what any boot from there on may need: images tell these bytes

    explicit CrashTables(std::size_t boundaries)
        : needed_by_boots(boundaries), significant(boundaries), live(boundaries) {}
    void find_live(const Recording& recording);
};

struct CrashState {  // at the beginning of a segment
    CrashImage image;
    std::uint32_t delivered = 0;  // of CrashRules::expected
    std::uint32_t boots = 0;      // that began at this boundary without committing, this one included
    CutPoint done;                // since power-on
    std::shared_ptr<const CutPath> path;
};

struct CrashNode {  // an image to be booted
    CrashImage image;
    std::uint32_t delivered = 0, boots = 0;
    std::shared_ptr<const CutPath> path;
};

struct CrashWalk {
    std::vector<CrashNode> nodes;
    std::vector<CrashFailure> failures;
    std::optional<CrashState> end;  // at the next boundary; nothing where the program stopped
    bool has_grown = false;         // the tables have: what is here is to be thrown away
    std::uint64_t significant_units = 0, torn_states = 0;
};

CrashWalk walk_segment(const Recording& recording, const CrashRules& rules, CrashTables& tables,
                       const CrashState& state, const std::shared_ptr<const Segment>& segment);

// Write units of the recorded run.
std::uint64_t count_units(const Recording& recording);

// The write unit `unit` (from 0) of a segment; nothing if it has no so many.
std::optional<NvmWrite> find_write(const Recording& recording, const Segment& segment, std::uint64_t unit);

}  // namespace metamorph::verify

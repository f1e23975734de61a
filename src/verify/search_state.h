// What a search for crash states has found out when it is interrupted, as bytes: another process goes on from there,
// and comes to the same verdict and totals as if nothing had happened. Internal to the search (crash_graph.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "emu/wire.h"
#include "verify/machine.h"

namespace metamorph::verify {

// A boot's result is kept for all passes. It counts when a pass first asks for it.
struct KnownBoot {
    BootResult result;
    std::uint64_t pass = 0;  // that counted it; 0: none has
};

std::string key_of(const BootImage& image);  // equal where the images are

// As of the beginning of a pass, which is done again: it takes no boots that are known.
struct SearchState {
    std::vector<IntervalSet> needed_by_boots, significant;  // of CrashTables
    std::uint64_t boots = 0, instructions = 0, passes = 0, boots_at_failure = 0;
    std::map<std::uint32_t, std::string> stale_reads;
};

std::string pack(const SearchState& state, const std::unordered_map<std::string, KnownBoot>& boots,
                 const Machine& machine);
// Errors: options (damaged).
Status unpack(const std::string& bytes, SearchState& state, std::unordered_map<std::string, KnownBoot>& boots,
              Machine& machine);

template <typename Wire>
void visit(Wire& wire, Fault& f) {
    wire(f.kind), wire(f.where), wire(f.what);
}
template <typename Wire>
void visit(Wire& wire, Halt& h) {
    wire(h.kind), wire(h.what), wire(h.task);
}
template <typename Wire>
void visit(Wire& wire, Segment& s) {
    wire(s.steps), wire(s.outputs), wire(s.faults), wire(s.halt), wire(s.instructions);
}

}  // namespace metamorph::verify

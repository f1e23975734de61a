#include "verify/search_state.h"

#include "verify/crash_image.h"

namespace metamorph::verify {
namespace {

std::vector<std::vector<Interval>> lists_of(const std::vector<IntervalSet>& sets) {
    std::vector<std::vector<Interval>> lists;
    for (const IntervalSet& set : sets) {
        lists.push_back(set.intervals());
    }
    return lists;
}

std::vector<IntervalSet> sets_of(const std::vector<std::vector<Interval>>& lists) {
    std::vector<IntervalSet> sets(lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const Interval& interval : lists[i]) {
            sets[i].add(interval.begin, interval.end);
        }
    }
    return sets;
}

void put(emu::Writer& wire, const std::string& key, const KnownBoot& boot) {
    const BootResult& r = boot.result;
    wire(key), wire(boot.pass), wire(r.needs_unknown), wire(r.unknown_address), wire(r.unknown_bytes);
    wire(r.unknown_where), wire(r.future), wire(r.first != nullptr);
    if (r.first) {
        wire(*r.first);
    }
}

void get(emu::Reader& wire, std::unordered_map<std::string, KnownBoot>& boots) {
    std::string key;
    KnownBoot boot;
    BootResult& r = boot.result;
    bool has_first = false;
    wire(key), wire(boot.pass), wire(r.needs_unknown), wire(r.unknown_address), wire(r.unknown_bytes);
    wire(r.unknown_where), wire(r.future), wire(has_first);
    if (has_first) {
        Segment segment;
        wire(segment);
        r.first = std::make_shared<const Segment>(std::move(segment));
    }
    boots.emplace(std::move(key), std::move(boot));
}

}  // namespace

std::string key_of(const BootImage& image) {
    CrashImage as_key;
    as_key.boundary = image.boundary;
    as_key.differs = image.differs;
    as_key.fresh = image.unknown;
    return as_key.key();
}

std::string pack(const SearchState& state, const std::unordered_map<std::string, KnownBoot>& boots,
                 const Machine& machine) {
    emu::Writer wire;
    wire(lists_of(state.needed_by_boots)), wire(lists_of(state.significant));
    wire(state.boots), wire(state.instructions), wire(state.passes), wire(state.boots_at_failure);
    wire(std::vector<std::pair<std::uint32_t, std::string>>(state.stale_reads.begin(), state.stale_reads.end()));
    wire(static_cast<std::uint64_t>(boots.size()));
    for (const auto& [key, boot] : boots) {
        put(wire, key, boot);
    }
    wire(machine.save());
    return wire.take();
}

Status unpack(const std::string& bytes, SearchState& state, std::unordered_map<std::string, KnownBoot>& boots,
              Machine& machine) {
    try {
        emu::Reader wire(bytes);
        std::vector<std::vector<Interval>> needed, significant;
        std::vector<std::pair<std::uint32_t, std::string>> stale_reads;
        std::uint64_t count = 0;
        wire(needed), wire(significant);
        wire(state.boots), wire(state.instructions), wire(state.passes), wire(state.boots_at_failure);
        wire(stale_reads), wire(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            get(wire, boots);
        }
        std::string machine_state;
        wire(machine_state);
        wire.end();
        state.needed_by_boots = sets_of(needed);
        state.significant = sets_of(significant);
        state.stale_reads = {stale_reads.begin(), stale_reads.end()};
        const std::size_t boundaries = machine.recording().images.size();
        if (needed.size() != boundaries || significant.size() != boundaries) {
            throw emu::WireError("it is of another recorded run");
        }
        return machine.restore(machine_state);
    } catch (const emu::WireError& damaged) {
        return fail(ErrorCode::options, "--resume", "the state is damaged: {}", damaged.what());
    }
}

}  // namespace metamorph::verify

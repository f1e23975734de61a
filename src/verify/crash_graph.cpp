// Passes: the search runs with tables of what boots need (CrashTables); where a boot needs more, the tables grow and,
// after the pass, everything is done again with them. Boots are remembered by their image, so a pass repeats few. It
// ends when a pass has found nothing new. Within a pass, breadth first: the first failure found is one with the fewest
// cuts.
//
// Two kinds of states are visited once each: images to be booted, and programs that go on after a commit (CrashState,
// told apart by their future and by the NVM that later boots may need).
#include "verify/crash_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "verify/crash_walk.h"
#include "verify/search_state.h"

namespace metamorph::verify {
namespace {

constexpr std::size_t k_boots_at_once = 256;
constexpr std::uint64_t k_passes_max = 200;
constexpr std::uint64_t k_boots_after_failure = 3000;
constexpr std::size_t k_stale_reads_told = 2;
constexpr int k_recording = -1;  // as a future: the recorded run

struct Running {
    int future = k_recording;
    std::size_t segment = 0;  // of it
    CrashState state;
};

class Search {
public:
    Search(Machine& machine, const CrashRules& rules)
        : m_machine(machine), m_recording(machine.recording()), m_rules(rules), m_tables(m_recording.images.size()) {}

    Result<CrashVerdict> run(const std::string& state) {
        m_verdict.units = count_units(m_recording);
        if (!state.empty()) {
            MM_CHECK(go_on_from(state));  // before the first boot: futures have numbers
        }
        MM_TRY(const std::vector<IntervalSet> needed, m_machine.needed_after_clean_stops());
        for (std::size_t b = 0; b < needed.size() && b < m_tables.needed_by_boots.size(); ++b) {
            m_tables.needed_by_boots[b].add(needed[b]);
            m_header_reads.add(needed[b].intersected(IntervalSet(0, m_rules.header_bytes)));
        }
        do {
            m_begun = {m_tables.needed_by_boots, m_tables.significant, m_verdict.boots, m_verdict.instructions,
                       m_verdict.passes,         m_boots_at_failure,   m_stale_reads};
            begin_pass();
            MM_CHECK(pass());
        } while (m_has_grown && !is_over() && !m_verdict.is_interrupted);
        if (m_rules.is_interrupted) {
            m_verdict.state = pack(m_begun, m_boots, m_machine);
        }
        m_verdict.is_closed = !m_has_grown && !is_over();
        note_end();
        m_verdict.states = m_seen_images.size();
        return m_verdict;
    }

private:
    Status go_on_from(const std::string& bytes) {
        MM_CHECK(unpack(bytes, m_begun, m_boots, m_machine));
        m_tables.needed_by_boots = m_begun.needed_by_boots;
        m_tables.significant = m_begun.significant;
        m_verdict.boots = m_begun.boots;
        m_verdict.instructions = m_begun.instructions;
        m_verdict.passes = m_begun.passes;
        m_boots_at_failure = m_begun.boots_at_failure;
        m_stale_reads = m_begun.stale_reads;
        for (auto& [key, boot] : m_boots) {
            boot.pass = boot.pass > m_begun.passes ? 0 : boot.pass;
        }
        return {};
    }

    // Behind a failure everything may be different from boot to boot: what is looked at then is only to find more
    // kinds.
    bool is_over() const {
        const std::uint64_t boots_max =
            m_verdict.failures.empty() ? m_rules.boots_max : m_boots_at_failure + k_boots_after_failure;
        return m_verdict.failures.size() >= m_rules.failures_max || m_verdict.boots >= boots_max ||
               m_verdict.passes >= k_passes_max;
    }

    void begin_pass() {
        ++m_verdict.passes;
        m_has_grown = false;
        m_tables.find_live(m_recording);
        m_seen_images.clear();
        m_seen_states.clear();
        m_images.clear();
        m_running.clear();
        m_verdict.failures.clear();
        m_verdict.significant_units = m_verdict.torn_states = 0;
        CrashState start;
        start.boots = 1;
        m_running.push_back({k_recording, 0, std::move(start)});
        for (const CrashStart& other : m_rules.starts) {
            add_start(other);
        }
    }

    void add_start(const CrashStart& start) {
        CrashImage none;
        CrashMemory memory(m_recording, none);
        for (std::size_t at = 0; at < start.image.size() && at < m_recording.nvm_bytes; ++at) {
            memory.write({static_cast<std::uint32_t>(at), static_cast<std::uint8_t>(start.image[at]), 1, 0});
        }
        CrashNode node;
        node.image = memory.image(m_tables.live[0], false);
        auto path = std::make_shared<CutPath>();
        path->start = start.name;
        node.path = std::move(path);
        add_image(std::move(node));
    }

    Status pass() {
        while (!m_running.empty() || !m_images.empty()) {
            while (!m_running.empty() && !is_over()) {
                const Running next = std::move(m_running.front());
                m_running.pop_front();
                go_on(next);
            }
            m_verdict.is_interrupted = m_rules.is_interrupted && m_rules.is_interrupted();
            if (is_over() || m_verdict.is_interrupted) {
                return {};
            }
            MM_CHECK(boot_some());
        }
        return {};
    }

    void note_end() {
        if (!m_verdict.is_closed && m_verdict.failures.empty()) {
            m_verdict.failures.push_back(
                {"does-not-close", "",
                 fmt::format("after {} boots new states still appear: power cuts can drive the program on and on",
                             m_verdict.boots),
                 "", -1});
        }
    }

    // ---- Programs that run ----

    const std::vector<std::shared_ptr<const Segment>>& segments(int future) const {
        return future == k_recording ? m_recording.segments : m_machine.future(future).segments;
    }

    void go_on(const Running& running) {
        const auto& list = segments(running.future);
        if (running.segment >= list.size()) {
            return;
        }
        std::string key = running.state.image.key();
        for (const std::uint64_t part : {static_cast<std::uint64_t>(running.future), std::uint64_t{running.segment},
                                         std::uint64_t{running.state.delivered}}) {
            key.append(reinterpret_cast<const char*>(&part), sizeof part);
        }
        if (!m_seen_states.insert(std::move(key)).second) {
            return;
        }
        walk(list[running.segment], running.state, running.future, running.segment + 1);
    }

    void walk(const std::shared_ptr<const Segment>& segment, const CrashState& state, int future, std::size_t next) {
        CrashWalk walk = walk_segment(m_recording, m_rules, m_tables, state, segment);
        m_has_grown = m_has_grown || walk.has_grown;
        m_verdict.significant_units += walk.significant_units;
        m_verdict.torn_states += walk.torn_states;
        for (CrashFailure& failure : walk.failures) {
            failure.where = where(state.path);
            failure.what += stale_reads();
            fail(std::move(failure));
        }
        for (CrashNode& node : walk.nodes) {
            add_image(std::move(node));
        }
        if (walk.end && future >= k_recording) {
            m_running.push_back({future, next, std::move(*walk.end)});
        }
    }

    void fail(CrashFailure failure) {
        const auto is_same = [&](const CrashFailure& other) {
            return other.symptom == failure.symptom && other.task == failure.task;  // one of each tells it
        };
        if (m_verdict.failures.empty()) {
            m_boots_at_failure = m_verdict.boots;
        }
        if (std::none_of(m_verdict.failures.begin(), m_verdict.failures.end(), is_same)) {
            m_verdict.failures.push_back(std::move(failure));
        }
    }

    // ---- Images to be booted ----

    void add_image(CrashNode node) {
        if (m_rules.depth > 0 && cuts_of(node.path) > m_rules.depth) {
            return;
        }
        std::string key = node.image.key();
        key.append(reinterpret_cast<const char*>(&node.delivered), sizeof node.delivered);
        if (m_seen_images.insert(std::move(key)).second) {
            m_images.push_back(std::move(node));
        }
    }

    BootImage boot_image(const CrashImage& image) const {
        BootImage boot;
        boot.boundary = image.boundary;
        boot.differs = image.differs;
        boot.unknown.add(0, m_recording.nvm_bytes);
        boot.unknown.subtract(m_tables.live[static_cast<std::size_t>(image.boundary)]);
        boot.unknown.add(image.fresh);
        boot.unknown.add(image.stale);
        return boot;
    }

    Status boot_some() {
        std::vector<CrashNode> nodes;
        std::vector<std::string> keys;
        std::vector<BootImage> wanted;
        std::vector<std::string> wanted_keys;
        while (!m_images.empty() && nodes.size() < k_boots_at_once) {
            const BootImage image = boot_image(m_images.front().image);
            keys.push_back(key_of(image));
            if (m_boots.count(keys.back()) == 0) {
                wanted.push_back(image);
                wanted_keys.push_back(keys.back());
            }
            nodes.push_back(std::move(m_images.front()));
            m_images.pop_front();
        }
        MM_TRY(std::vector<BootResult> results, m_machine.boot(wanted));
        for (std::size_t i = 0; i < results.size(); ++i) {
            m_boots.emplace(wanted_keys[i], KnownBoot{std::move(results[i])});
        }
        for (const std::string& key : keys) {
            count(m_boots.at(key));
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            take_boot(nodes[i], m_boots.at(keys[i]).result);
        }
        if (m_rules.progress) {
            m_rules.progress(m_verdict.boots);
        }
        return {};
    }

    void count(KnownBoot& boot) {
        if (boot.pass == 0) {
            boot.pass = m_verdict.passes;
            ++m_verdict.boots;
            m_verdict.instructions += boot.result.first ? boot.result.first->instructions : 0;
        }
    }

    void take_boot(const CrashNode& node, const BootResult& result) {
        if (result.needs_unknown) {
            grow(node, result);
            return;
        }
        CrashState state;
        state.image = node.image;
        state.delivered = node.delivered;
        state.boots = node.boots + 1;
        state.path = node.path;
        if (!check_start(node, *result.first)) {
            return;
        }
        walk(result.first, state, result.future < 0 ? k_recording - 1 : result.future, 0);
    }

    // A boot must begin where the last commit left off. False: it does not, and where it goes is of no interest.
    bool check_start(const CrashNode& node, const Segment& first) {
        for (const Step& step : first.steps) {
            if (step.kind == Step::Kind::first_boot && node.image.boundary > 0) {
                fail(failure(
                    node, "lost-progress",
                    fmt::format("the program starts anew, although {} tasks had been committed", node.image.boundary)));
                return false;
            }
            if (step.kind == Step::Kind::resume) {
                if (step.index != node.image.boundary) {
                    fail(failure(node, step.index < node.image.boundary ? "lost-progress" : "resumed-too-far",
                                 fmt::format("the program goes on after {} commits, although {} were complete",
                                             step.index, node.image.boundary)));
                    return false;
                }
                break;
            }
        }
        return true;
    }

    CrashFailure failure(const CrashNode& node, const char* kind, std::string what) const {
        return {kind, print(node.path), std::move(what), where(node.path), node.image.boundary % m_recording.tasks};
    }

    std::string where(const std::shared_ptr<const CutPath>& path) const {
        if (!path || !path->start.empty()) {
            return "";
        }
        const bool is_torn = path->cut.mask != 0;
        if (path->unit == 0 && !is_torn) {
            return "before the first write of this task";
        }
        const auto write = find_write(m_recording, *path->segment, is_torn ? path->unit : path->unit - 1);
        return write ? m_machine.place(write->pc) : "";
    }

    // Data that a boot read although the cut had come while it was being written: a write-after-read, where it is a
    // home.
    std::string stale_reads() const {
        std::string text;
        for (const auto& [address, reader] : m_stale_reads) {
            text += fmt::format("; NVM {} is read, at {}, after its task has begun to overwrite it", address, reader);
        }
        return text;
    }

    void grow(const CrashNode& node, const BootResult& result) {
        const IntervalSet read(result.unknown_address, std::int64_t{result.unknown_address} + result.unknown_bytes);
        const auto b = static_cast<std::size_t>(node.image.boundary);
        m_has_grown = true;
        if (node.image.fresh.intersects(read)) {
            m_tables.significant[b].add(with_neighbours(result, node.image.fresh));
            if (result.unknown_address >= m_rules.header_bytes && m_stale_reads.size() < k_stale_reads_told) {
                m_stale_reads.emplace(result.unknown_address, result.unknown_where);
            }
        } else if (node.image.stale.intersects(read)) {
            for (std::size_t earlier = 0; earlier <= b; ++earlier) {
                m_tables.significant[earlier].add(read);
            }
        } else {
            m_tables.needed_by_boots[b].add(region_of(result, node.image.boundary));
        }
    }

    // Data that is read although it may be half written is rarely one byte alone, and each find costs a pass.
    IntervalSet with_neighbours(const BootResult& result, const IntervalSet& fresh) const {
        constexpr std::int64_t k_block = 256;
        IntervalSet found(result.unknown_address, std::int64_t{result.unknown_address} + result.unknown_bytes);
        if (result.unknown_address >= m_rules.header_bytes) {
            const std::int64_t begin = result.unknown_address / k_block * k_block;
            found.add(fresh.intersected(IntervalSet(begin, begin + k_block)));
        }
        return found;
    }

    IntervalSet region_of(const BootResult& result, int boundary) const {
        constexpr std::int64_t k_block = 16;
        // What NVM held before the first power-on may be anything: whatever any boot reads of the header is looked at
        // sooner or later. No more than that: what lies beside it in a wide unit would be told apart in vain.
        const IntervalSet read(result.unknown_address, std::int64_t{result.unknown_address} + result.unknown_bytes);
        if (boundary == 0 && m_header_reads.contains(read)) {
            return m_header_reads;
        }
        for (const Interval& region : m_rules.regions) {
            if (region.begin <= result.unknown_address && result.unknown_address < region.end) {
                return {region.begin, region.end};
            }
        }
        const std::int64_t begin = result.unknown_address / k_block * k_block;
        const std::int64_t end = result.unknown_address + std::max<std::int64_t>(result.unknown_bytes, 1);
        return {begin, std::min<std::int64_t>((end + k_block - 1) / k_block * k_block, m_recording.nvm_bytes)};
    }

    Machine& m_machine;
    const Recording& m_recording;
    const CrashRules& m_rules;
    CrashTables m_tables;
    CrashVerdict m_verdict;
    IntervalSet m_header_reads;  // NVM before the homes that boots after clean stops need, whatever the boundary
    bool m_has_grown = false;
    std::uint64_t m_boots_at_failure = 0;
    std::deque<Running> m_running;
    std::deque<CrashNode> m_images;
    std::unordered_set<std::string> m_seen_images, m_seen_states;
    std::unordered_map<std::string, KnownBoot> m_boots;
    SearchState m_begun;                                 // as of the beginning of this pass
    std::map<std::uint32_t, std::string> m_stale_reads;  // address → who reads
};

}  // namespace

Result<CrashVerdict> search_crash_states(Machine& machine, const CrashRules& rules, const std::string& state) {
    return Search(machine, rules).run(state);
}

}  // namespace metamorph::verify

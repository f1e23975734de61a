#include "tasks/pieces.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace metamorph::tasks {
namespace {

using cfront::ObjectKind;

// So many bytes more may be fetched after a reboot for one transfer less in each inference, and in the tables.
constexpr std::int64_t k_extra_fetched_max = 64;

class Finder {
public:
    Finder(const Chain& chain, const Liveness& liveness, const Webs& webs, NvmMode mode, std::int64_t write_unit_bytes)
        : m_chain(chain), m_liveness(liveness), m_webs(webs), m_mode(mode), m_write_unit_bytes(write_unit_bytes) {}

    Pieces run() {
        sort_generations();
        find_shared_write_units();
        decide_webs();
        gather_chunks();
        gather_states();
        return std::move(m_pieces);
    }

private:
    const Segment& segment(int index) const { return m_liveness.segments[static_cast<std::size_t>(index)]; }

    void sort_generations() {
        m_pieces.generations_of_web.resize(m_webs.webs.size());
        m_pieces.crossing_bytes.assign(m_webs.webs.size(), 0);
        for (std::size_t g = 0; g < m_liveness.generations.size(); ++g) {
            const Generation& generation = m_liveness.generations[g];
            const int web = m_webs.at_task_end.at({generation.segment, generation.def_task});
            m_pieces.generations_of_web[static_cast<std::size_t>(web)].push_back(static_cast<int>(g));
            m_pieces.crossing_bytes[static_cast<std::size_t>(web)] += m_liveness.bytes(generation);
        }
    }

    // A task that is cut while it writes may tear the whole unit, with what an earlier task has committed into it. A
    // web keeps its place in a unit wherever it is put (homes.h).
    bool has_shared_write_unit(const Web& web) const {
        std::map<int, IntervalSet> units;  // of each task, rounded outwards
        for (int s : web.written) {
            const Interval bytes = segment(s).bytes;
            for (const Touch& touch : segment(s).touches) {
                if (touch.write && std::binary_search(web.writer_steps.begin(), web.writer_steps.end(), touch.step)) {
                    units[m_chain.task_of_step[static_cast<std::size_t>(touch.step)]].add(
                        bytes.begin / m_write_unit_bytes * m_write_unit_bytes,
                        (bytes.end + m_write_unit_bytes - 1) / m_write_unit_bytes * m_write_unit_bytes);
                }
            }
        }
        IntervalSet earlier;
        for (const auto& [task, written] : units) {
            if (written.intersects(earlier)) {
                return true;
            }
            earlier.add(written);
        }
        return false;
    }

    void find_shared_write_units() {
        for (const Web& web : m_webs.webs) {
            m_pieces.shares_write_unit.push_back(m_write_unit_bytes > 1 && has_shared_write_unit(web));
        }
    }

    // Empty: the web can live in NVM in place. Otherwise why not.
    std::string why_not_in_place(std::size_t index) const {
        const Web& web = m_webs.webs[index];
        if (m_mode == NvmMode::bus) {
            return "NVM is behind a bus";
        }
        if (m_chain.object(web.object).kind != ObjectKind::entry_parameter) {
            return "it is a variable with an address of its own";
        }
        if (web.is_pinned) {
            return "a function names the object itself, so its address cannot be changed";
        }
        if (web.has_overwrite) {
            return "bytes of it are replaced in place, so running the task again would read the new ones";
        }
        if (m_pieces.shares_write_unit[index]) {
            return fmt::format(
                "two tasks write into one write unit of {} bytes, which a cut may tear with what was committed into it",
                m_write_unit_bytes);
        }
        if (!web.is_written_once) {
            return "it cannot be shown that each byte is stored exactly once, so working in NVM could write more";
        }
        std::int64_t written = 0;
        for (int s : web.written) {
            written += segment(s).bytes.bytes();
        }
        if (written > m_pieces.crossing_bytes[index]) {
            return fmt::format("{} of the {} bytes written are not needed later",
                               written - m_pieces.crossing_bytes[index], written);
        }
        return "";
    }

    void decide_webs() {
        for (std::size_t w = 0; w < m_webs.webs.size(); ++w) {
            m_pieces.why_not.push_back(!m_pieces.crosses(w) ? "nothing of it crosses a task boundary"
                                                            : why_not_in_place(w));
        }
    }

    void gather_chunks() {
        for (std::size_t w = 0; w < m_webs.webs.size(); ++w) {
            if (m_pieces.is_in_place(static_cast<int>(w))) {
                continue;
            }
            std::vector<Chunk> chunks;
            for (int g : m_pieces.generations_of_web[w]) {
                const Generation& generation = m_liveness.generations[static_cast<std::size_t>(g)];
                const Segment& at = segment(generation.segment);
                auto same = std::find_if(chunks.begin(), chunks.end(), [&](const Chunk& c) {
                    return c.bytes.end == at.bytes.begin && c.def_task == generation.def_task &&
                           c.use_tasks == generation.use_tasks;
                });
                if (same != chunks.end()) {
                    same->bytes.end = at.bytes.end;
                } else {
                    chunks.push_back({at.object, at.bytes, static_cast<int>(w), generation.def_task,
                                      generation.def_step, generation.use_tasks});
                }
            }
            if (!m_webs.webs[w].has_overwrite) {
                chunks = merge_neighbours(chunks);
            }
            m_pieces.chunks.insert(m_pieces.chunks.end(), chunks.begin(), chunks.end());
        }
    }

    // Where readers alternate (a strided layer beside one that reads all), each run of bytes would be a transfer.
    // Merged, all readers fetch all: what some do not need must still be there, untouched, when the last one fetches
    // it.
    std::vector<Chunk> merge_neighbours(const std::vector<Chunk>& chunks) const {
        std::vector<Chunk> merged;
        for (const Chunk& chunk : chunks) {
            auto before = std::find_if(merged.begin(), merged.end(), [&](const Chunk& c) {
                return c.bytes.end == chunk.bytes.begin && c.def_task == chunk.def_task && may_merge(c, chunk);
            });
            if (before != merged.end()) {
                before->use_tasks = readers_of(*before, chunk);
                before->bytes.end = chunk.bytes.end;
            } else {
                merged.push_back(chunk);
            }
        }
        return merged;
    }

    static std::vector<int> readers_of(const Chunk& a, const Chunk& b) {
        std::vector<int> all;
        std::set_union(a.use_tasks.begin(), a.use_tasks.end(), b.use_tasks.begin(), b.use_tasks.end(),
                       std::back_inserter(all));
        return all;
    }

    bool may_merge(const Chunk& a, const Chunk& b) const {
        const std::vector<int> readers = readers_of(a, b);
        const auto fetched_more = [&](const Chunk& c) {
            return static_cast<std::int64_t>(readers.size() - c.use_tasks.size()) * c.bytes.bytes();
        };
        return fetched_more(a) + fetched_more(b) <= k_extra_fetched_max && !is_rewritten(a, readers.back()) &&
               !is_rewritten(b, readers.back());
    }

    // Whether a task behind the chunk's own, up to `last`, may write into it.
    bool is_rewritten(const Chunk& chunk, int last) const {
        auto at = std::lower_bound(m_liveness.segments.begin(), m_liveness.segments.end(), chunk,
                                   [](const Segment& s, const Chunk& c) {
                                       return std::pair(s.object, s.bytes.end) <= std::pair(c.object, c.bytes.begin);
                                   });
        for (; at != m_liveness.segments.end() && at->object == chunk.object && at->bytes.begin < chunk.bytes.end;
             ++at) {
            for (const Touch& touch : at->touches) {
                const int task = m_chain.task_of_step[static_cast<std::size_t>(touch.step)];
                if (touch.write && task > chunk.def_task && task <= last) {
                    return true;
                }
            }
        }
        return false;
    }

    void gather_states() {
        for (const StateUse& use : m_liveness.states) {
            const Segment& at = segment(use.segment);
            if (!m_pieces.states.empty() && m_pieces.states.back().object == at.object &&
                m_pieces.states.back().bytes.end == at.bytes.begin &&
                m_pieces.states.back().read_tasks == use.read_tasks &&
                m_pieces.states.back().write_tasks == use.write_tasks) {
                m_pieces.states.back().bytes.end = at.bytes.end;
            } else {
                m_pieces.states.push_back({at.object, at.bytes, use.read_tasks, use.write_tasks});
            }
        }
    }

    const Chain& m_chain;
    const Liveness& m_liveness;
    const Webs& m_webs;
    const NvmMode m_mode;
    const std::int64_t m_write_unit_bytes;
    Pieces m_pieces;
};

}  // namespace

Pieces find_pieces(const Chain& chain, const Liveness& liveness, const Webs& webs, NvmMode mode,
                   std::int64_t write_unit_bytes) {
    return Finder(chain, liveness, webs, mode, write_unit_bytes).run();
}

}  // namespace metamorph::tasks

// Greedy: a value that is moved frees SRAM only where it reached beyond all others of its object, since offsets within
// an image are those of the object. Rejected: placing the values that stay anew within SRAM; it would save a little
// more on networks that hardly fit, and make the woven program's addresses differ from the generated one's.
#include "tasks/fit_sram.h"

#include <algorithm>
#include <numeric>

namespace metamorph::tasks {
namespace {

using cfront::ObjectId;
using cfront::ObjectKind;

std::int64_t rounded_up(std::int64_t bytes) {
    return (bytes + k_home_alignment - 1) / k_home_alignment * k_home_alignment;
}

class Fitter {
public:
    Fitter(const Chain& chain, const Webs& webs, const Pieces& pieces, NvmMode mode)
        : m_chain(chain), m_webs(webs), m_pieces(pieces), m_mode(mode) {
        m_fit.is_moved.assign(webs.webs.size(), false);
    }

    Fit run(std::int64_t bytes_max) {
        measure();
        m_fit.sram_bytes_wanted = m_fit.sram_bytes;
        if (m_fit.sram_bytes <= bytes_max) {
            return std::move(m_fit);
        }
        std::vector<std::size_t> moved;
        for (std::size_t web : candidates()) {
            if (m_fit.sram_bytes <= bytes_max) {
                break;
            }
            m_fit.is_moved[web] = true;
            moved.push_back(web);
            measure();
        }
        for (auto web = moved.rbegin(); web != moved.rend(); ++web) {
            const std::int64_t before = m_fit.sram_bytes;
            m_fit.is_moved[*web] = false;
            measure();
            if (m_fit.sram_bytes > std::max(bytes_max, before)) {
                m_fit.is_moved[*web] = true;
                measure();
            }
        }
        return std::move(m_fit);
    }

private:
    bool can_move(std::size_t index) const {
        const Web& web = m_webs.webs[index];
        if (m_mode == NvmMode::bus || m_chain.object(web.object).kind != ObjectKind::entry_parameter || web.is_pinned ||
            web.writer_steps.empty() || m_pieces.is_in_place(static_cast<int>(index))) {
            return false;
        }
        // What crosses and is replaced in its task, stored twice, or torn by another task is safe in SRAM only.
        return !m_pieces.crosses(index) ||
               (!web.has_overwrite && web.is_written_once && !m_pieces.shares_write_unit[index]);
    }

    std::vector<std::size_t> candidates() const {
        std::vector<std::size_t> order;
        for (std::size_t web = 0; web < m_webs.webs.size(); ++web) {
            if (can_move(web)) {
                order.push_back(web);
            }
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return m_webs.webs[a].hull.bytes() > m_webs.webs[b].hull.bytes();
        });
        return order;
    }

    static void extend(std::map<ObjectId, Interval>& used, ObjectId id, Interval bytes) {
        const auto [at, is_new] = used.try_emplace(id, bytes);
        at->second = {std::min(at->second.begin, bytes.begin), std::max(at->second.end, bytes.end)};
    }

    void measure() {
        const bool is_any_moved =
            std::any_of(m_fit.is_moved.begin(), m_fit.is_moved.end(), [](bool moved) { return moved; });
        std::map<ObjectId, Interval> used;
        for_each_pointer(m_chain, [&](int step, int argument, ObjectId id, std::int64_t offset) {
            const cfront::Object& object = m_chain.object(id);
            const auto web = m_webs.of_argument.find({step, argument});
            const bool is_untouched = web == m_webs.of_argument.end();
            if (object.kind != ObjectKind::entry_parameter ||
                (!is_untouched &&
                 (m_pieces.is_in_place(web->second) || m_fit.is_moved[static_cast<std::size_t>(web->second)]))) {
                return;
            }
            Interval bytes{offset, offset + object.element_bytes};
            if (!is_untouched) {
                const Interval& hull = m_webs.webs[static_cast<std::size_t>(web->second)].hull;
                bytes = {std::min(bytes.begin, hull.begin), std::max(bytes.end, hull.end)};
            }
            extend(used, id, bytes);
        });
        // What a call may reach without being given it has no pointer of the chain, but is copied all the same.
        for (const Chunk& chunk : m_pieces.chunks) {
            if (m_chain.object(chunk.object).kind == ObjectKind::entry_parameter &&
                !m_fit.is_moved[static_cast<std::size_t>(chunk.web)]) {
                extend(used, chunk.object, chunk.bytes);
            }
        }
        m_fit.sram_bytes = 0;
        for (auto& [id, bytes] : used) {
            bytes.begin = is_any_moved ? bytes.begin / k_home_alignment * k_home_alignment : 0;
            m_fit.sram_bytes += rounded_up(bytes.bytes());
        }
        m_fit.images = std::move(used);
    }

    const Chain& m_chain;
    const Webs& m_webs;
    const Pieces& m_pieces;
    const NvmMode m_mode;
    Fit m_fit;
};

}  // namespace

Fit fit_sram(const Chain& chain, const Webs& webs, const Pieces& pieces, NvmMode mode, std::int64_t bytes_max) {
    return Fitter(chain, webs, pieces, mode).run(bytes_max);
}

void for_each_pointer(const Chain& chain, const PointerVisitor& visit) {
    for (std::size_t s = 0; s < chain.steps.size(); ++s) {
        const ChainStep& step = chain.steps[s];
        if (step.kind != ChainStep::Kind::call) {
            for (const ChainAccess& access : step.accesses) {
                visit(static_cast<int>(s), access.argument, access.object, 0);
            }
            continue;
        }
        const cfront::Step& call = chain.model->entry.steps[static_cast<std::size_t>(step.entry_step)];
        for (std::size_t a = 0; a < call.arguments.size(); ++a) {
            if (call.arguments[a].kind == cfront::Argument::Kind::object) {
                visit(static_cast<int>(s), static_cast<int>(a), call.arguments[a].object, call.arguments[a].offset);
            }
        }
    }
}

}  // namespace metamorph::tasks

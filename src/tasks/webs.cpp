// Union-find over the versions of all segments. A read that is wider than what really happens can only join webs, and
// joined webs are placed more cautiously.
#include "tasks/webs.h"

#include <algorithm>
#include <numeric>

namespace metamorph::tasks {
namespace {

using cfront::ObjectId;

struct Node {
    int segment = -1;
    int version = 0;
    bool is_pinned = false, is_written = false, is_once = true;
    std::vector<int> writers, readers;  // steps
};

class Builder {
public:
    Builder(const Chain& chain, const Liveness& liveness)
        : m_chain(chain), m_liveness(liveness), m_current(liveness.segments.size(), -1) {}

    Webs build() {
        for (std::size_t step = 0; step < m_chain.steps.size(); ++step) {
            visit(static_cast<int>(step));
            remember_task_end(static_cast<int>(step));
        }
        return collect();
    }

private:
    int current(int segment) {
        int& node = m_current[static_cast<std::size_t>(segment)];
        if (node < 0) {
            node = new_node(segment, 0);
        }
        return node;
    }

    int new_node(int segment, int version) {
        m_nodes.push_back({segment, version, false, false, true, {}, {}});
        m_parent.push_back(static_cast<int>(m_parent.size()));
        return static_cast<int>(m_nodes.size()) - 1;
    }

    int root(int node) {
        while (m_parent[static_cast<std::size_t>(node)] != node) {
            node = m_parent[static_cast<std::size_t>(node)] =
                m_parent[static_cast<std::size_t>(m_parent[static_cast<std::size_t>(node)])];
        }
        return node;
    }

    void touch(int step, const ChainAccess& access, int node) {
        if (access.argument < 0) {
            m_nodes[static_cast<std::size_t>(node)].is_pinned = true;
            return;
        }
        const auto [at, is_new] = m_argument.try_emplace({step, access.argument}, node);
        if (!is_new) {
            join(node, at->second);
        }
        if (const int layer = m_chain.steps[static_cast<std::size_t>(step)].sliced_layer; layer >= 0) {
            join(node, m_layer_argument.try_emplace({layer, access.argument}, node).first->second);
        }
    }

    void join(int a, int b) { m_parent[static_cast<std::size_t>(root(a))] = root(b); }

    template <typename F>
    void for_segments(const ChainAccess& access, const IntervalSet& set, F&& f) {
        for (std::size_t s = 0; s < m_liveness.segments.size(); ++s) {
            const Segment& segment = m_liveness.segments[s];
            if (segment.object == access.object && set.contains(segment.bytes.begin, segment.bytes.end)) {
                f(static_cast<int>(s));
            }
        }
    }

    void visit(int step) {
        const ChainStep& chain_step = m_chain.steps[static_cast<std::size_t>(step)];
        for (const ChainAccess& access : chain_step.accesses) {
            for_segments(access, access.reads_from_before(), [&](int segment) { read(step, access, segment); });
        }
        for (const ChainAccess& access : chain_step.accesses) {
            for_segments(access, access.must_writes, [&](int segment) {
                const int old = m_current[static_cast<std::size_t>(segment)];
                const int version = old < 0 ? 0 : m_nodes[static_cast<std::size_t>(old)].version;
                const bool is_first_in_step = old < 0 || m_nodes[static_cast<std::size_t>(old)].writers.empty() ||
                                              m_nodes[static_cast<std::size_t>(old)].writers.back() != step;
                if (is_first_in_step) {
                    m_current[static_cast<std::size_t>(segment)] = new_node(segment, version + 1);
                }
            });
            for_segments(access, access.writes, [&](int segment) { write(step, access, segment); });
        }
        for (const ChainAccess& access : chain_step.accesses) {
            for_segments(access, access.read_back, [&](int segment) { read(step, access, segment); });
        }
    }

    void read(int step, const ChainAccess& access, int segment) {
        const int node = current(segment);
        m_nodes[static_cast<std::size_t>(node)].readers.push_back(step);
        touch(step, access, node);
    }

    void write(int step, const ChainAccess& access, int segment) {
        const int id = current(segment);
        Node& node = m_nodes[static_cast<std::size_t>(id)];
        const Interval bytes = m_liveness.segments[static_cast<std::size_t>(segment)].bytes;
        node.is_once = node.is_once && !node.is_written && access.written_once.contains(bytes.begin, bytes.end);
        node.is_written = true;
        node.writers.push_back(step);
        touch(step, access, id);
    }

    void remember_task_end(int step) {
        const std::size_t next = static_cast<std::size_t>(step) + 1;
        if (next < m_chain.steps.size() &&
            m_chain.task_of_step[next] == m_chain.task_of_step[static_cast<std::size_t>(step)]) {
            return;
        }
        for (std::size_t s = 0; s < m_current.size(); ++s) {
            if (m_current[s] >= 0) {
                m_task_end[{static_cast<int>(s), m_chain.task_of_step[static_cast<std::size_t>(step)]}] = m_current[s];
            }
        }
    }

    void add_to_web(const Node& node, Web& web) {
        const Segment& segment = m_liveness.segments[static_cast<std::size_t>(node.segment)];
        if (web.segments.empty()) {
            web.object = segment.object;
            web.hull = segment.bytes;
        }
        web.is_pinned = web.is_pinned || segment.object != web.object;  // one pointer into two objects: leave them be
        web.hull.begin = std::min(web.hull.begin, segment.bytes.begin);
        web.hull.end = std::max(web.hull.end, segment.bytes.end);
        web.has_overwrite = web.has_overwrite ||
                            std::find(web.segments.begin(), web.segments.end(), node.segment) != web.segments.end();
        web.segments.push_back(node.segment);
        if (node.is_written) {
            web.written.push_back(node.segment);
            web.is_written_once = web.is_written_once && node.is_once;
        }
        web.is_pinned = web.is_pinned || node.is_pinned;
        web.writer_steps.insert(web.writer_steps.end(), node.writers.begin(), node.writers.end());
        web.reader_steps.insert(web.reader_steps.end(), node.readers.begin(), node.readers.end());
    }

    void widen_by_parameter_extents(Webs& webs) {
        for (const auto& [at, index] : webs.of_argument) {
            const ChainStep& step = m_chain.steps[static_cast<std::size_t>(at.first)];
            if (step.kind != ChainStep::Kind::call) {
                continue;
            }
            const cfront::Step& call = m_chain.model->entry.steps[static_cast<std::size_t>(step.entry_step)];
            const cfront::Function* callee = m_chain.model->function(call.callee);
            const std::size_t argument = static_cast<std::size_t>(at.second);
            if (callee == nullptr || argument >= callee->parameters.size() || argument >= call.arguments.size() ||
                !callee->parameters[argument].extent_bytes) {
                continue;
            }
            Interval& hull = webs.webs[static_cast<std::size_t>(index)].hull;
            const std::int64_t begin = call.arguments[argument].offset;
            hull.begin = std::min(hull.begin, begin);
            hull.end = std::max(hull.end, begin + *callee->parameters[argument].extent_bytes);
        }
    }

    Webs collect() {
        Webs webs;
        std::map<int, int> web_of_root;
        for (std::size_t n = 0; n < m_nodes.size(); ++n) {
            const auto [at, is_new] =
                web_of_root.try_emplace(root(static_cast<int>(n)), static_cast<int>(webs.webs.size()));
            if (is_new) {
                webs.webs.emplace_back();
            }
            add_to_web(m_nodes[n], webs.webs[static_cast<std::size_t>(at->second)]);
        }
        for (Web& web : webs.webs) {
            for (std::vector<int>* list : {&web.segments, &web.written, &web.writer_steps, &web.reader_steps}) {
                std::sort(list->begin(), list->end());
                list->erase(std::unique(list->begin(), list->end()), list->end());
            }
        }
        for (const auto& [at, node] : m_argument) {
            webs.of_argument[at] = web_of_root[root(node)];
        }
        for (const auto& [at, node] : m_task_end) {
            webs.at_task_end[at] = web_of_root[root(node)];
        }
        widen_by_parameter_extents(webs);
        return webs;
    }

    const Chain& m_chain;
    const Liveness& m_liveness;
    std::vector<int> m_current;  // node of each segment's version now; -1: untouched so far
    std::vector<Node> m_nodes;
    std::vector<int> m_parent;
    std::map<std::pair<int, int>, int> m_argument, m_task_end;  // → node
    std::map<std::pair<int, int>, int> m_layer_argument;        // (sliced layer, argument) → a node of it
};

}  // namespace

Webs find_webs(const Chain& chain, const Liveness& liveness) {
    return Builder(chain, liveness).build();
}

}  // namespace metamorph::tasks

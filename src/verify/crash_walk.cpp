// A *gap* is what lies between two significant writes. All its cuts are one image, in which whatever it writes is
// unknown; so is the cut right before the significant write that ends it. Torn variants of a significant write are
// images of their own, with all before it written, as writes land in order. The cut after the last write of a segment
// is the next one's first.
#include "verify/crash_walk.h"

#include <algorithm>

#include <fmt/format.h>

namespace metamorph::verify {
namespace {

class Walker {
public:
    Walker(const Recording& recording, const CrashRules& rules, CrashTables& tables, const CrashState& state,
           const std::shared_ptr<const Segment>& segment)
        : m_recording(recording),
          m_rules(rules),
          m_tables(tables),
          m_state(state),
          m_segment(segment),
          m_memory(recording, state.image),
          m_delivered(state.delivered),
          m_done(state.done) {}

    CrashWalk run() {
        report_faults();
        m_memory.begin_gap();
        for (const Step& step : m_segment->steps) {
            take(step, m_segment->outputs);
        }
        if (m_unit != m_gap_begin || !m_is_told) {
            tell_gap();
        }
        if (m_segment->halt.kind == Halt::Kind::none) {
            pass_boundary();
        } else {
            check_halt();
        }
        return std::move(m_walk);
    }

private:
    std::size_t at() const { return static_cast<std::size_t>(m_state.image.boundary); }
    int task() const { return m_state.image.boundary % m_recording.tasks; }

    void take(const Step& step, const std::vector<Output>& outputs) {
        switch (step.kind) {
            case Step::Kind::write:
                write(step.write);
                break;
            case Step::Kind::output:
                hand_over(outputs[static_cast<std::size_t>(step.index)]);
                break;
            case Step::Kind::body:
                run_body(m_recording.bodies[static_cast<std::size_t>(step.index)]);
                break;
            case Step::Kind::first_boot:
            case Step::Kind::resume:
            case Step::Kind::commit:
                break;
        }
    }

    void run_body(const Body& body) {
        if (!body.outputs.empty() || body.torn.intersects(m_tables.significant[at()])) {
            for (const Step& step : body.steps) {
                take(step, body.outputs);
            }
            return;
        }
        check_place(body.written);
        m_memory.apply(body);
        m_unit += body.steps.size();
        m_done.units += body.steps.size();
    }

    void write(const NvmWrite& write) {
        const IntervalSet where(write.address, std::int64_t{write.address} + write.bytes);
        check_place(where);
        if (!m_tables.significant[at()].intersects(m_memory.torn_by(write))) {
            m_memory.write(write);
            ++m_unit;
            ++m_done.units;
            return;
        }
        tell_gap();
        tear(write);
        m_memory.write(write);
        m_memory.begin_gap();
        ++m_done.units;
        m_gap_begin = ++m_unit;
        m_is_told = true;
        ++m_walk.significant_units;
    }

    // Every mix of old and new bytes but the two that are cuts before and after it.
    void tear(const NvmWrite& write) {
        const unsigned changes = m_memory.changes(write);
        std::vector<unsigned> masks;
        for (unsigned mask = (changes - 1) & changes; mask != 0; mask = (mask - 1) & changes) {
            masks.push_back(mask);
        }
        std::vector<CrashImage> images = m_memory.torn_images(m_tables.live[at()], write, masks);
        for (std::size_t i = 0; i < images.size(); ++i) {
            CutPoint cut = m_done;
            cut.mask = masks[i];
            add_node(std::move(images[i]), cut, m_unit);
        }
        m_walk.torn_states += images.size();
        for (std::uint32_t ruin = 0; m_recording.ruins_beside(write) && ruin < emu::k_ruins; ++ruin) {
            CutPoint cut = m_done;
            cut.mask = emu::k_ruined + ruin;
            add_node(m_memory.ruined_image(m_tables.live[at()], write, ruin), cut, m_unit);
            ++m_walk.torn_states;
        }
    }

    void tell_gap() {
        CutPoint cut = m_done;
        const std::uint64_t middle = (m_unit - m_gap_begin + 1) / 2;  // stands for all of the gap's cuts
        cut.units -= m_unit - m_gap_begin - middle;
        add_node(m_memory.image(m_tables.live[at()], true), cut, m_gap_begin + middle);
        m_is_told = true;
    }

    void add_node(CrashImage image, const CutPoint& cut, std::uint64_t unit) {
        CrashNode node;
        node.image = std::move(image);
        node.delivered = m_delivered;
        node.boots = m_state.boots;
        node.path = std::make_shared<const CutPath>(CutPath{"", cut, m_state.path, m_segment, unit});
        m_walk.nodes.push_back(std::move(node));
    }

    void hand_over(const Output& output) {
        tell_gap();
        check_output(output);
        ++m_done.outputs;
        m_is_told = false;  // the cut right after it is another state
    }

    void check_output(const Output& output) {
        const auto& expected = m_rules.expected;
        std::size_t at = 0;
        while (at < expected.size() &&
               (expected[at].sequence != output.sequence || expected[at].index != output.index)) {
            ++at;
        }
        const std::string name = fmt::format("output {} of inference {}", output.index, output.sequence);
        const bool is_again =
            at < m_delivered && m_delivered <= expected.size() && expected[m_delivered - 1].sequence == output.sequence;
        if (at == expected.size() || (at != m_delivered && !is_again)) {
            fail("output-out-of-order", fmt::format("{} is handed over after {} others", name, m_delivered));
        } else if (expected[at].bytes != output.bytes) {
            fail(is_again ? "output-differs-when-repeated" : "wrong-output",
                 fmt::format("{} is not what the plain program gives", name));
        }
        m_delivered += at == m_delivered ? 1 : 0;
    }

    void check_place(const IntervalSet& where) {
        if (!m_rules.may_write.empty() && !m_rules.may_write[static_cast<std::size_t>(task())].contains(where)) {
            IntervalSet outside = where;
            outside.subtract(m_rules.may_write[static_cast<std::size_t>(task())]);
            fail("write-outside-plan",
                 fmt::format("NVM {} is written, where task {} has no home", outside.print(), task()));
        }
    }

    void report_faults() {
        for (const Fault& fault : m_segment->faults) {
            fail(fault.kind, fmt::format("{}, at {}", fault.what, fault.where));
        }
    }

    void check_halt() {
        const Halt& halt = m_segment->halt;
        switch (halt.kind) {
            case Halt::Kind::none:
                break;
            case Halt::Kind::idle:
                if (m_delivered != m_rules.expected.size()) {
                    fail("missing-output", fmt::format("the program waits for input after {} of {} outputs",
                                                       m_delivered, m_rules.expected.size()));
                }
                break;
            case Halt::Kind::no_progress:
                if (m_state.boots < m_rules.attempts_max) {
                    fail("no-progress", fmt::format("{} is reported after {} boots", halt.what, m_state.boots));
                }
                break;
            case Halt::Kind::fatal:
                fail("fatal", halt.what);
                break;
            case Halt::Kind::crashed:
                fail("crash", halt.what);
                break;
            case Halt::Kind::endless:
                fail("no-progress", halt.what);
                break;
        }
    }

    void fail(const std::string& kind, const std::string& what) {
        m_walk.failures.push_back({kind, print(m_state.path), what, "", task()});
    }

    // What images at the next boundary tell must be known here: told by images of this one, or written.
    void pass_boundary() {
        const int next = m_state.image.boundary + 1;
        if (static_cast<std::size_t>(next) >= m_tables.live.size()) {
            fail("too-many-commits", "a task is committed after the recorded run has ended");
            return;
        }
        IntervalSet unknown = m_tables.live[static_cast<std::size_t>(next)];
        unknown.subtract(m_tables.live[at()]);
        unknown.subtract(m_memory.written());
        if (!unknown.empty()) {
            m_tables.needed_by_boots[at()].add(unknown);
            m_walk.has_grown = true;
            return;
        }
        CrashState end = m_state;
        end.image = m_memory.at_boundary(next, m_tables.live[static_cast<std::size_t>(next)]);
        end.delivered = m_delivered;
        end.done = m_done;
        end.boots = 0;
        m_walk.end = std::move(end);
    }

    const Recording& m_recording;
    const CrashRules& m_rules;
    CrashTables& m_tables;
    const CrashState& m_state;
    const std::shared_ptr<const Segment>& m_segment;
    CrashMemory m_memory;
    CrashWalk m_walk;
    std::uint32_t m_delivered;
    CutPoint m_done;
    std::uint64_t m_unit = 0, m_gap_begin = 0;  // units of this segment; where the gap began
    bool m_is_told = false;                     // the state at the gap's beginning is among the nodes
};

}  // namespace

void CrashTables::find_live(const Recording& recording) {
    for (std::size_t b = live.size(); b-- > 0;) {
        live[b] = needed_by_boots[b];
        if (b + 1 < live.size()) {
            IntervalSet later = live[b + 1];
            later.subtract(recording.written[b]);
            live[b].add(later);
        }
    }
}

CrashWalk walk_segment(const Recording& recording, const CrashRules& rules, CrashTables& tables,
                       const CrashState& state, const std::shared_ptr<const Segment>& segment) {
    return Walker(recording, rules, tables, state, segment).run();
}

std::uint64_t count_units(const Recording& recording) {
    std::uint64_t units = 0;
    const auto add = [&](const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            units += step.kind == Step::Kind::write ? 1 : 0;
        }
    };
    for (const auto& segment : recording.segments) {
        add(segment->steps);
    }
    for (const Body& body : recording.bodies) {
        add(body.steps);
    }
    return units;
}

std::optional<NvmWrite> find_write(const Recording& recording, const Segment& segment, std::uint64_t unit) {
    for (const Step& step : segment.steps) {
        if (step.kind == Step::Kind::write && unit-- == 0) {
            return step.write;
        }
        if (step.kind != Step::Kind::body) {
            continue;
        }
        for (const Step& inner : recording.bodies[static_cast<std::size_t>(step.index)].steps) {
            if (inner.kind == Step::Kind::write && unit-- == 0) {
                return inner.write;
            }
        }
    }
    return std::nullopt;
}

}  // namespace metamorph::verify

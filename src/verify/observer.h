// What the world has seen of a device so far, and whether it is as it must be. Internal to lives.h.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "verify/crash_graph.h"
#include "verify/lives.h"

namespace metamorph::verify {

class Observer {
public:
    Observer(const Recording& recording, const CrashRules& rules) : m_recording(recording), m_rules(rules) {}

    // `id`: of the cuts before and, if there is one, at the end of this life.
    void watch(const Life& life, const std::string& id) {
        m_id = id;
        ++m_boots;
        for (const Segment& segment : life.segments) {
            for (const Fault& fault : segment.faults) {
                fail(fault.kind, fmt::format("{}, at {}", fault.what, fault.where));
            }
            for (const Step& step : segment.steps) {
                see(step, segment);
            }
            see_halt(segment.halt);
        }
        if (life.is_committed()) {
            ++m_commits;
            m_boots = 0;
        }
    }
    const std::vector<CrashFailure>& failures() const { return m_failures; }

private:
    int task() const { return m_commits % m_recording.tasks; }

    void see(const Step& step, const Segment& segment) {
        switch (step.kind) {
            case Step::Kind::first_boot:
                if (m_commits > 0) {
                    fail("lost-progress",
                         fmt::format("the program starts anew, although {} tasks had been committed", m_commits));
                    m_commits = 0;
                }
                break;
            case Step::Kind::resume:
                see_resume(step.index);
                break;
            case Step::Kind::commit:
                ++m_commits;
                m_boots = 0;
                break;
            case Step::Kind::write:
                see_write(step.write);
                break;
            case Step::Kind::output:
                see_output(segment.outputs[static_cast<std::size_t>(step.index)]);
                break;
            case Step::Kind::body:
                break;
        }
    }

    void see_resume(int commits) {
        if (commits != m_commits) {
            fail(commits < m_commits ? "lost-progress" : "resumed-too-far",
                 fmt::format("the program goes on after {} commits, although {} were complete", commits, m_commits));
        }
        m_commits = commits;
    }

    void see_write(const NvmWrite& write) {
        const IntervalSet where(write.address, std::int64_t{write.address} + write.bytes);
        if (!m_rules.may_write.empty() && !m_rules.may_write[static_cast<std::size_t>(task())].contains(where)) {
            fail("write-outside-plan",
                 fmt::format("NVM {} is written, where task {} has no home", where.print(), task()));
        }
    }

    void see_output(const Output& output) {
        const auto& expected = m_rules.expected;
        const auto at = static_cast<std::size_t>(
            std::find_if(expected.begin(), expected.end(),
                         [&](const Output& e) { return e.sequence == output.sequence && e.index == output.index; }) -
            expected.begin());
        const std::string name = fmt::format("output {} of inference {}", output.index, output.sequence);
        const bool is_again = at < m_delivered && expected[m_delivered - 1].sequence == output.sequence;
        if (at == expected.size() || (at != m_delivered && !is_again)) {
            fail("output-out-of-order", fmt::format("{} is handed over after {} others", name, m_delivered));
        } else if (expected[at].bytes != output.bytes) {
            fail(is_again ? "output-differs-when-repeated" : "wrong-output",
                 fmt::format("{} is not what the plain program gives", name));
        }
        m_delivered += at == m_delivered ? 1 : 0;
    }

    void see_halt(const Halt& halt) {
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
                if (m_boots < m_rules.attempts_max) {
                    fail("no-progress", fmt::format("{} is reported after {} boots", halt.what, m_boots));
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

    void fail(const std::string& symptom, const std::string& what) {
        m_failures.push_back({symptom, m_id, what, "", task()});
    }

    const Recording& m_recording;
    const CrashRules& m_rules;
    std::string m_id;
    int m_commits = 0;
    std::uint32_t m_boots = 0;
    std::size_t m_delivered = 0;
    std::vector<CrashFailure> m_failures;
};

}  // namespace metamorph::verify

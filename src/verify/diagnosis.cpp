#include "verify/diagnosis.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "verify/lives.h"
#include "verify/record_slots.h"

namespace metamorph::verify {
namespace {

using Difference = emu::TaskEntry::Difference;

class Detective {
public:
    Detective(const EmulatedMachine& machine, const CrashRules& rules, const DiagnosisPlan& plan,
              const emu::Program& program, const CrashFailure& failure)
        : m_machine(machine),
          m_recording(machine.recording()),
          m_rules(rules),
          m_plan(plan),
          m_program(program),
          m_failure(failure) {}

    Diagnosis find(const std::string& start, const std::string& nvm, const std::vector<Life>& lives) {
        m_nvm = nvm;
        m_is_of_another_build = start.starts_with("other-build");
        for (const Life& life : lives) {
            Diagnosis diagnosis = look_at(life);
            if (!diagnosis.kind.empty()) {
                return diagnosis;
            }
            m_nvm = life.nvm;
            m_before = &life;
        }
        return look_at_end(lives);
    }

private:
    bool is_symptom(const char* symptom) const { return m_failure.symptom == symptom; }

    Diagnosis look_at(const Life& life) {
        const int resumed_after = m_commits;
        int commits = m_commits;
        bool is_first_boot = false;
        for (const Segment& segment : life.segments) {
            for (const Step& step : segment.steps) {
                is_first_boot = is_first_boot || step.kind == Step::Kind::first_boot;
                if (step.kind == Step::Kind::resume) {
                    if (step.index != resumed_after || (is_first_boot && m_commits > 0)) {
                        return why_there(life, step.index, is_first_boot);
                    }
                    m_commits = step.index;
                    commits = step.index;
                }
                commits += step.kind == Step::Kind::commit ? 1 : 0;
            }
        }
        m_boots = commits > m_commits ? 0 : m_boots + 1;
        m_commits = commits + (life.is_committed() ? 1 : 0);
        if (life.is_committed()) {
            m_boots = 0;
        }
        for (const Segment& segment : life.segments) {
            for (const Fault& fault : segment.faults) {
                if (fault.kind == "spi-write-without-enable") {
                    return {fault.kind, fault.what + ", at " + fault.where};
                }
            }
        }
        if (m_failure.cuts.empty() && is_symptom("poisoned-read")) {
            return {"uninitialised-sram-read", "it is read in the uninterrupted run, too"};
        }
        return look_at_entries(life);
    }

    // ---- A boot that does not go on from the last complete commit ----

    Diagnosis why_there(const Life& life, int resumed, bool is_first_boot) const {
        if (m_before == nullptr && m_is_of_another_build && !is_first_boot) {
            return {"record-of-another-build", "no first boot was made of it"};
        }
        if (is_first_boot && m_commits == 0) {
            return why_not_from_zero(life);
        }
        if (m_before == nullptr || m_before->segments.back().steps.empty()) {
            return {};
        }
        const Life& cut = *m_before;
        const int slot_left = slot_of(cut.writes_left);
        const int other = 1 - slot_left;
        if (slot_left >= 0 && slot_of(last_writes(cut)) == slot_left && !is_first_boot &&
            record_in(m_nvm, slot_left, m_recording.tasks).commits == resumed &&
            record_in(m_nvm, other, m_recording.tasks).commits != resumed) {
            return {"torn-record", fmt::format("it is that of slot {}, of which {} writes were yet to come", slot_left,
                                               cut.writes_left.size())};
        }
        if (resumed > m_commits) {
            return why_too_far(cut);
        }
        if (Diagnosis overwritten = why_overwritten(cut); !overwritten.kind.empty()) {
            return overwritten;
        }
        for (int slot = 0; slot < 2 && !is_first_boot; ++slot) {
            const SlotRecord whole = record_in(m_nvm, slot, m_recording.tasks);
            const SlotRecord taken = record_in(m_nvm, 1 - slot, m_recording.tasks);
            if (whole.is_sealed && whole.commits == m_commits && taken.commits == resumed) {
                return {"stale-slot", fmt::format("slot {} holds the newest record, whole; the boot takes slot {}, "
                                                  "which is older",
                                                  slot, 1 - slot)};
            }
        }
        return {};
    }

    // By the last segment of a life, with the one that the cut tore.
    std::vector<NvmWrite> last_writes(const Life& cut) const {
        std::vector<NvmWrite> writes;
        for (const Step& step : cut.segments.back().steps) {
            if (step.kind == Step::Kind::write) {
                writes.push_back(step.write);
            }
        }
        if (!cut.writes_left.empty() &&
            m_nvm_before[cut.writes_left.front().address] != m_nvm[cut.writes_left.front().address]) {
            writes.push_back(cut.writes_left.front());
        }
        return writes;
    }

    Diagnosis why_overwritten(const Life& cut) const {
        const int active = active_slot(m_nvm_before, m_recording.tasks);
        const std::vector<NvmWrite> writes = last_writes(cut);
        const auto hit = std::find_if(writes.begin(), writes.end(),
                                      [&](const NvmWrite& write) { return slot_at(write.address) == active; });
        if (hit == writes.end()) {
            return {};
        }
        return {"active-slot-overwritten",
                fmt::format("slot {} held the record to go on from, and was written, at {}", active, place(hit->pc))};
    }

    Diagnosis why_too_far(const Life& cut) const {
        for (const NvmWrite& write : cut.writes_left) {
            if (write.address >= m_rules.header_bytes) {
                return {"commit-before-data",
                        fmt::format("NVM {} of the task that counts as committed was yet to be written, at {}",
                                    write.address, place(write.pc))};
            }
        }
        return {};
    }

    Diagnosis why_not_from_zero(const Life& life) const {
        for (const Interval& read : life.nvm_reads) {
            for (std::int64_t at = read.begin; at < read.end; ++at) {
                if (!is_of_record(static_cast<std::uint32_t>(at)) && at < m_rules.header_bytes) {
                    return {"counter-before-boot-flag",
                            fmt::format("this first boot reads NVM {}, which no record vouches for yet", at)};
                }
            }
        }
        return {};
    }

    // ---- A task that does not find what it needs ----

    Diagnosis look_at_entries(const Life& life) {
        remember(life);
        for (const emu::TaskEntry& entry : life.entries) {
            for (const Difference& difference : entry.differences) {
                Diagnosis diagnosis =
                    difference.is_nvm ? why_nvm(entry, difference) : why_sram(entry, difference.address, difference);
                if (!diagnosis.kind.empty()) {
                    return diagnosis;
                }
            }
            for (const Difference& difference : entry.differences) {
                const bool is_header = difference.is_nvm && difference.address < m_rules.header_bytes;
                (is_header ? m_header_differs : m_home_differs) = true;
            }
        }
        return {};
    }

    Diagnosis why_nvm(const emu::TaskEntry& entry, const Difference& difference) const {
        if (!is_written_by_task(entry.boundary, difference.address)) {
            return {};
        }
        const std::string what =
            fmt::format("NVM {} is read{}, after the task has written it itself, before the cut", difference.address,
                        difference.pc == 0 ? "" : ", at " + place(difference.pc));
        const auto task = static_cast<std::size_t>(entry.task);
        if (task < m_plan.is_slice.size() && m_plan.is_slice[task]) {
            return {"slice-not-idempotent", what};
        }
        for (const emu::TaskEntry::Reread& reread : entry.rereads) {
            if (!is_of_runtime(m_program.function_at(reread.pc).value_or(""))) {
                return {"write-after-read-in-arena",
                        fmt::format("{}; the task reads there what it wrote, at {}", what, place(reread.pc))};
            }
        }
        return {"write-after-read", what};
    }

    Diagnosis why_sram(const emu::TaskEntry& entry, std::uint32_t address, const Difference& difference) const {
        const std::string object = m_program.object_at(address);
        const auto task = static_cast<std::size_t>(entry.task);
        if (is_of_runtime(object) || task >= m_plan.tables.fetch_list.size()) {
            return {};
        }
        for (const Transfer& fetch : m_plan.tables.fetch_list[task]) {
            if (fetch.has_sram(address)) {
                return why_fetched(entry, fetch, fetch.home + (address - fetch.sram), object);
            }
        }
        for (std::size_t earlier = 0; earlier < task; ++earlier) {
            for (const Transfer& commit : m_plan.tables.commit_list[earlier]) {
                if (commit.has_sram(address)) {
                    return {"missing-fetch",
                            fmt::format("{} is needed by task {}, task {} commits it, and task {} does not fetch it",
                                        object, task, earlier, task)};
                }
            }
        }
        return {"variable-only-in-sram",
                fmt::format("{} holds {} when task {} begins: an earlier task left another value, and no home keeps it",
                            object, difference.is_written ? "its first value" : "nothing", task)};
    }

    Diagnosis why_fetched(const emu::TaskEntry& entry, const Transfer& fetch, std::uint32_t home,
                          const std::string& object) const {
        const IntervalSet where(home, std::int64_t{home} + 1), copy(home + fetch.stride, home + fetch.stride + 1LL);
        bool is_written = false;
        for (int b = 0; b < entry.boundary; ++b) {
            const IntervalSet& written = m_recording.written[static_cast<std::size_t>(b)];
            is_written = is_written || written.intersects(where) || written.intersects(copy);
        }
        if (!is_written) {
            return {"missing-write-back", fmt::format("task {} fetches {} from NVM {}, which no task before it writes",
                                                      entry.task, object, home)};
        }
        if (is_written_by_task(entry.boundary, home)) {
            return {"write-after-read",
                    fmt::format("task {} fetches {} from NVM {}, and commits to it as well", entry.task, object, home)};
        }
        return {};
    }

    bool is_written_by_task(int boundary, std::uint32_t address) const {
        const IntervalSet where(address, std::int64_t{address} + 1);
        return std::any_of(m_recording.bodies.begin(), m_recording.bodies.end(), [&](const Body& body) {
            return body.boundary == boundary && body.written.intersects(where);
        });
    }

    // ---- Nothing of that ----

    Diagnosis look_at_end(const std::vector<Life>& lives) const {
        const Halt& halt = lives.back().segments.back().halt;
        if (is_symptom("no-progress") && halt.kind == Halt::Kind::endless && m_failure.cuts.empty() &&
            !lives.back().entries.empty()) {
            return {"task-never-fits", "without any cut"};
        }
        if (is_symptom("no-progress") && halt.kind == Halt::Kind::no_progress && m_boots < m_rules.attempts_max) {
            return {"tally-not-cleared", "the tally in NVM counts boots of an earlier record"};
        }
        if ((is_symptom("wrong-output") || is_symptom("output-differs-when-repeated")) && m_header_differs &&
            !m_home_differs) {
            return {"output-not-repeatable",
                    "its task finds all its homes and its SRAM as in the uninterrupted run; only NVM of the runtime "
                    "differs"};
        }
        return {};
    }

    static bool is_of_runtime(const std::string& name) { return name.starts_with("mm_"); }
    std::string place(std::uint32_t pc) const { return m_machine.place(pc); }
    void remember(const Life& life);

    const EmulatedMachine& m_machine;
    const Recording& m_recording;
    const CrashRules& m_rules;
    const DiagnosisPlan& m_plan;
    const emu::Program& m_program;
    const CrashFailure& m_failure;
    std::string m_nvm, m_nvm_before;  // at power-on of the life that is looked at; when the last segment before began
    const Life* m_before = nullptr;
    int m_commits = 0;
    std::uint32_t m_boots = 0;  // that came to no commit since the last one
    bool m_is_of_another_build = false, m_header_differs = false, m_home_differs = false;
};

// Keeps what NVM held when the last segment of `life` began.
void Detective::remember(const Life& life) {
    m_nvm_before = m_nvm;
    for (std::size_t i = 0; i + 1 < life.segments.size(); ++i) {
        for (const Step& step : life.segments[i].steps) {
            for (unsigned byte = 0; step.kind == Step::Kind::write && byte < step.write.bytes; ++byte) {
                m_nvm_before[step.write.address + byte] = static_cast<char>(step.write.value >> 8 * byte);
            }
        }
    }
}

}  // namespace

Result<Diagnosis> diagnose(EmulatedMachine& machine, const CrashRules& rules, const DiagnosisPlan& plan,
                           const emu::Program& program, const CrashFailure& failure) {
    const Result<CutList> cuts = parse_cuts(failure.cuts);
    if (!cuts) {
        return Diagnosis{};
    }
    const Result<Replay> replayed = replay(machine, rules, *cuts);
    if (!replayed && replayed.error().code == ErrorCode::options) {
        return Diagnosis{};  // the cuts cannot be told by counts of writes, and the symptom stands alone
    }
    if (!replayed) {
        return tl::unexpected(replayed.error());
    }
    std::string nvm = machine.recording().images.front();
    for (const CrashStart& start : rules.starts) {
        nvm = start.name == cuts->start ? start.image : nvm;
    }
    return Detective(machine, rules, plan, program, failure).find(cuts->start, nvm, replayed->lives);
}

}  // namespace metamorph::verify

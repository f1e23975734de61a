#include "verify/lives.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "emu/wire.h"
#include "verify/observer.h"

namespace metamorph::verify {

// For emu::Writer and Reader, which look here.
template <typename Wire>
void visit(Wire& wire, CrashFailure& f) {
    wire(f.symptom), wire(f.cuts), wire(f.what), wire(f.where), wire(f.task);
}

namespace {

std::uint64_t count_writes(const Life& life) {
    std::uint64_t count = 0;
    for (const Segment& segment : life.segments) {
        count += static_cast<std::uint64_t>(std::count_if(segment.steps.begin(), segment.steps.end(),
                                                          [](const Step& s) { return s.kind == Step::Kind::write; }));
    }
    return count;
}

std::uint64_t count_outputs(const Life& life) {
    std::uint64_t count = 0;
    for (const Segment& segment : life.segments) {
        count += segment.outputs.size();
    }
    return count;
}

const NvmWrite* last_write(const Life& life) {
    for (auto segment = life.segments.rbegin(); segment != life.segments.rend(); ++segment) {
        for (auto step = segment->steps.rbegin(); step != segment->steps.rend(); ++step) {
            if (step->kind == Step::Kind::write) {
                return &step->write;
            }
        }
    }
    return nullptr;
}

// What power cycles begin with: NVM, and the commits that it tells of. SRAM and registers are poisoned by that number,
// as they are in the search.
struct Rest {
    std::string nvm;
    int commits = 0;
};

// `life`: with see_what_is_left.
Rest rest_of(const Life& life, int commits_before) {
    int commits = commits_before;
    for (const Step& step : life.segments.front().steps) {
        commits = step.kind == Step::Kind::resume ? step.index : commits;
    }
    return {life.nvm, commits + static_cast<int>(life.segments.size()) - 1 + (life.is_committed() ? 1 : 0)};
}

// `cut`: nothing for a life that ends by itself.
Result<Life> live(EmulatedMachine& machine, const Rest& rest, const CutPoint* cut) {
    emu::CutSpec spec;
    if (cut != nullptr) {
        spec = {cut->units, cut->mask, cut->outputs, 0};
    }
    spec.pattern = static_cast<std::uint32_t>(rest.commits);
    MM_TRY(emu::CutRun run, machine.run_with_cut(rest.nvm, spec));
    Life life;
    for (const emu::RawSegment& segment : run.segments) {
        life.segments.push_back(machine.told(segment));
        life.instructions += segment.instructions;
    }
    const emu::RawHalt& halt = run.segments.back().halt;
    if (halt.kind != emu::HaltKind::cut) {
        life.end = life.segments.back().halt.what;
    } else if (cut->mask >= emu::k_ruined) {
        life.end = fmt::format("cut in write {}, of whose unit nothing was left, at {}", cut->units + 1,
                               machine.place(halt.pc));
    } else if (cut->mask != 0) {
        life.end = fmt::format("cut in write {}, of whose bytes {:#x} were written, at {}", cut->units + 1, cut->mask,
                               machine.place(halt.pc));
    } else {
        const NvmWrite* write = last_write(life);
        life.end = fmt::format("cut after {} writes{}", cut->units,
                               write == nullptr ? "" : ", the last at " + machine.place(write->pc));
    }
    life.entries = std::move(run.entries);
    life.nvm_reads = std::move(run.nvm_reads);
    life.nvm = std::move(run.nvm);
    life.registers = std::move(run.registers);
    life.sram = std::move(run.sram.front());
    return life;
}

// `whole`: the same life without its cut.
void see_what_is_left(Life& life, const Life& whole) {
    const std::size_t last = life.segments.size() - 1;
    if (last >= whole.segments.size()) {
        return;
    }
    const std::vector<Step>& steps = whole.segments[last].steps;
    for (std::size_t i = life.segments[last].steps.size(); i < steps.size(); ++i) {
        if (steps[i].kind == Step::Kind::write) {
            life.writes_left.push_back(steps[i].write);
        }
        life.is_commit_ahead = life.is_commit_ahead || steps[i].kind == Step::Kind::commit;
    }
}

bool is_cut(const Life& life) {
    return life.end.starts_with("cut ");
}

struct Place {
    CutPoint cut;
};

// Every place of a life where power can be cut: before and after each write unit, in it, after each output.
std::vector<Place> places_of(const Life& life, std::string nvm, const Recording& recording) {
    std::vector<Place> places;
    CutPoint at;
    places.push_back({at});
    for (const Segment& segment : life.segments) {
        for (const Step& step : segment.steps) {
            if (step.kind == Step::Kind::output) {
                ++at.outputs;
                places.push_back({at});
            }
            if (step.kind != Step::Kind::write) {
                continue;
            }
            unsigned changes = 0;
            for (unsigned i = 0; i < step.write.bytes; ++i) {
                const char byte = static_cast<char>(step.write.value >> 8 * i);
                changes |= nvm[step.write.address + i] != byte ? 1U << i : 0U;
                nvm[step.write.address + i] = byte;
            }
            for (unsigned mask = changes == 0 ? 0 : (changes - 1) & changes; mask != 0; mask = (mask - 1) & changes) {
                CutPoint torn = at;
                torn.mask = mask;
                places.push_back({torn});
            }
            for (std::uint32_t ruin = 0; recording.ruins_beside(step.write) && ruin < emu::k_ruins; ++ruin) {
                CutPoint torn = at;
                torn.mask = emu::k_ruined + ruin;
                places.push_back({torn});
            }
            ++at.units;
            places.push_back({at});
        }
    }
    return places;
}

class OneByOne {
public:
    OneByOne(EmulatedMachine& machine, const CrashRules& rules, const OneByOneRequest& request)
        : m_machine(machine), m_rules(rules), m_request(request) {}

    Result<OneByOneVerdict> run() {
        if (!m_request.state.empty()) {
            MM_CHECK(unpack(m_request.state));
        }
        m_verdict.state = pack(m_first);
        MM_CHECK(explore({m_machine.recording().images.front(), 0}, Observer(m_machine.recording(), m_rules), "", 0));
        return std::move(m_verdict);
    }

private:
    bool is_over() const { return m_verdict.failures.size() >= m_rules.failures_max; }

    // From here on: what happens without a cut, and with one at each place.
    Status explore(const Rest& rest, const Observer& before, const std::string& id, int depth) {
        MM_TRY(const Life whole, live(m_machine, rest, nullptr));
        Observer observer = before;
        observer.watch(whole, id);
        for (const CrashFailure& failure : observer.failures()) {
            note(failure);
        }
        if (depth == m_request.depth) {
            return {};
        }
        const std::vector<Place> places = places_of(whole, rest.nvm, m_machine.recording());
        const std::uint64_t most = depth == 0 ? m_request.cuts_max : m_request.second_max;
        const std::uint64_t count = std::min<std::uint64_t>(most, places.size());
        m_verdict.places = depth == 0 ? places.size() : m_verdict.places;
        for (std::uint64_t i = depth == 0 ? m_first : 0; i < count && !is_over(); ++i) {
            m_verdict.is_interrupted = m_request.is_interrupted && m_request.is_interrupted();
            if (m_verdict.is_interrupted) {
                return {};
            }
            const CutPoint& cut = places[i * places.size() / count].cut;
            MM_TRY(Life cut_short, live(m_machine, rest, &cut));
            see_what_is_left(cut_short, whole);
            const std::string cut_id = id.empty() ? cut.print() : id + "+" + cut.print();
            Observer next = before;
            next.watch(cut_short, cut_id);
            ++m_verdict.cuts;
            MM_CHECK(explore(rest_of(cut_short, rest.commits), next, cut_id, depth + 1));
            if (m_verdict.is_interrupted) {
                return {};
            }
            if (depth == 0) {
                first_cut_done(i + 1, count);
            }
        }
        return {};
    }

    void first_cut_done(std::uint64_t done, std::uint64_t count) {
        if (m_request.is_interrupted) {
            m_verdict.state = pack(done);
        }
        if (m_request.progress) {
            m_request.progress(done, count);
        }
    }

    std::string pack(std::uint64_t done) const {
        emu::Writer wire;
        wire(done), wire(m_verdict.cuts), wire(m_verdict.failures);
        return wire.take();
    }

    Status unpack(const std::string& bytes) {
        try {
            emu::Reader wire(bytes);
            wire(m_first), wire(m_verdict.cuts), wire(m_verdict.failures);
            wire.end();
        } catch (const emu::WireError& damaged) {
            return fail(ErrorCode::options, "--resume", "the state is damaged: {}", damaged.what());
        }
        return {};
    }

    void note(const CrashFailure& failure) {
        const bool is_known = std::any_of(
            m_verdict.failures.begin(), m_verdict.failures.end(),
            [&](const CrashFailure& other) { return other.symptom == failure.symptom && other.task == failure.task; });
        if (!is_known) {
            m_verdict.failures.push_back(failure);
        }
    }

    EmulatedMachine& m_machine;
    const CrashRules& m_rules;
    const OneByOneRequest& m_request;
    OneByOneVerdict m_verdict;
    std::uint64_t m_first = 0;  // so many first cuts were done by an earlier run
};

bool read_number(std::string_view& text, std::uint64_t& value, int base) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc()) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool read_cut(std::string_view text, CutPoint& cut) {
    std::uint64_t number = 0;
    if (!read_number(text, cut.units, 10)) {
        return false;
    }
    if (text.starts_with("~")) {
        text.remove_prefix(1);
        if (!read_number(text, number, 16) || number >= emu::k_ruined + emu::k_ruins) {
            return false;
        }
        cut.mask = static_cast<unsigned>(number);
    }
    if (text.starts_with("!")) {
        text.remove_prefix(1);
        if (!read_number(text, number, 10) || number > UINT32_MAX) {
            return false;
        }
        cut.outputs = static_cast<std::uint32_t>(number);
    }
    return text.empty();
}

}  // namespace

Result<CutList> parse_cuts(const std::string& id) {
    CutList list;
    std::string_view rest = id;
    bool is_more_due = false;  // a plus says so
    while (!rest.empty() || is_more_due) {
        const std::size_t plus = std::min(rest.find('+'), rest.size());
        const std::string_view part = rest.substr(0, plus);
        CutPoint cut;
        if (read_cut(part, cut)) {
            list.cuts.push_back(cut);
        } else if (list.cuts.empty() && list.start.empty() && !part.empty() &&
                   std::all_of(part.begin(), part.end(), [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); })) {
            list.start = part;
        } else {
            return fail_with_hint(ErrorCode::options, "--replay", fmt::format("'{}' is not the id of a failure", id),
                                  "the report gives it, as in 17, 17~3+5 or noise+17");
        }
        is_more_due = plus < rest.size();
        rest.remove_prefix(std::min(plus + 1, rest.size()));
    }
    return list;
}

Result<Replay> replay(EmulatedMachine& machine, const CrashRules& rules, const CutList& cuts) {
    std::string id = cuts.start;
    Rest rest{machine.recording().images.front(), 0};
    if (!cuts.start.empty()) {
        const auto found = std::find_if(rules.starts.begin(), rules.starts.end(),
                                        [&](const CrashStart& start) { return start.name == cuts.start; });
        if (found == rules.starts.end()) {
            return fail(ErrorCode::options, "--replay", "there is no start called '{}'", cuts.start);
        }
        rest.nvm = found->image;
    }
    Replay result;
    Observer observer(machine.recording(), rules);
    for (std::size_t i = 0; i <= cuts.cuts.size(); ++i) {
        const CutPoint* cut = i < cuts.cuts.size() ? &cuts.cuts[i] : nullptr;
        if (cut != nullptr && cut->mask >= emu::k_ruined && machine.recording().unit_bytes == 1) {
            return fail(ErrorCode::options, "--replay", "'{}' ruins a write unit, and this device's are single bytes",
                        cut->print());
        }
        MM_TRY(Life life, live(machine, rest, cut));
        if (cut != nullptr && cut->mask == 0 && count_writes(life) == cut->units &&
            count_outputs(life) == cut->outputs) {
            life.end = fmt::format("cut after all of its {} writes", cut->units);
            life.segments.back().halt = {};
        }
        if (cut != nullptr && !is_cut(life)) {
            return fail_with_hint(
                ErrorCode::options, "--replay",
                fmt::format("power cycle {} ends by itself after {} writes: it has no cut {}", i + 1,
                            count_writes(life), cut->print()),
                "an id belongs to one model, device, toolchain, split and inputs: give the same again");
        }
        if (cut != nullptr) {
            MM_TRY(const Life whole, live(machine, rest, nullptr));
            see_what_is_left(life, whole);
            id += (id.empty() ? "" : "+") + cut->print();
        }
        observer.watch(life, id);
        rest = rest_of(life, rest.commits);
        result.lives.push_back(std::move(life));
    }
    result.failures = observer.failures();
    return result;
}

Result<OneByOneVerdict> cut_one_by_one(EmulatedMachine& machine, const CrashRules& rules,
                                       const OneByOneRequest& request) {
    return OneByOne(machine, rules, request).run();
}

}  // namespace metamorph::verify

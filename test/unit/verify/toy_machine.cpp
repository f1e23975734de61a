#include "unit/verify/toy_machine.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace metamorph::verify::test {
namespace {

constexpr std::uint32_t k_slot_bytes = 16;  // seal, sequence, position
constexpr std::uint32_t k_count_at = 32, k_homes_at = 48;
constexpr int k_cut = -1;

std::uint32_t seal_of(std::uint32_t sequence, std::uint32_t position) {
    std::uint32_t hash = 0x811C9DC5U;
    for (const std::uint32_t word : {sequence, position}) {
        for (int i = 0; i < 4; ++i) {
            hash = (hash ^ (word >> 8 * i & 0xFFU)) * 0x01000193U;
        }
    }
    return hash == 0 ? 1 : hash;
}

std::uint32_t input_of(std::uint32_t inference) {
    return 0x01020304U * (inference + 1);
}

std::uint32_t work(std::uint32_t value, int task) {
    return value * 2654435761U + 97U * static_cast<std::uint32_t>(task);
}

std::string bytes_of(std::uint32_t word) {
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &word, 4);
    return bytes;
}

struct UnknownRead {
    std::uint32_t address;
};
struct PowerCut {};

}  // namespace

// One power cycle: the program itself, and what it did.
struct ToyMachine::Life {
    explicit Life(const ToyOptions& of) : options(of) {}
    const ToyOptions& options;
    std::string nvm;
    IntervalSet unknown;
    std::uint32_t needed = 0, written = 0;  // a bit a word of NVM: read before it was written; written
    std::vector<Step> steps;                // of all segments
    std::vector<Output> outputs;
    std::int64_t units_left = -1;  // until power is cut; -1: never
    unsigned mask = 0;             // of the unit that is cut

    std::uint32_t read(std::uint32_t at) {
        if (unknown.intersects(IntervalSet(at, at + 4))) {
            throw UnknownRead{at};
        }
        needed |= (1U << at / 4) & ~written;
        std::uint32_t word = 0;
        std::memcpy(&word, nvm.data() + at, 4);
        return word;
    }

    void write(std::uint32_t at, std::uint32_t word, std::uint32_t pc) {
        const std::string bytes = bytes_of(word);
        const bool is_cut = units_left == 0;
        for (unsigned i = 0; i < 4; ++i) {
            if (!is_cut || (mask < emu::k_ruined && (mask >> i & 1U) != 0)) {
                nvm[at + i] = bytes[i];
            }
        }
        if (is_cut) {
            const std::uint32_t unit = at / options.unit_bytes * options.unit_bytes;
            for (std::uint32_t i = unit; mask >= emu::k_ruined && i < unit + options.unit_bytes; ++i) {
                nvm[i] = static_cast<char>(emu::ruined_byte(mask - emu::k_ruined, i));
            }
            throw PowerCut{};
        }
        units_left -= units_left > 0 ? 1 : 0;
        unknown.subtract(IntervalSet(at, at + 4));
        written |= 1U << at / 4;
        steps.push_back({Step::Kind::write, {at, word, 4, pc}, -1});
    }

    void note(Step::Kind kind, int index = -1) { steps.push_back({kind, {}, index}); }

    struct Record {
        std::uint32_t sequence = 0, position = 0;
        bool is_valid = false;
    };

    Record read_slot(std::uint32_t slot) {
        const std::uint32_t at = slot * k_slot_bytes, seal = read(at);
        if (seal == 0) {
            return {};
        }
        Record found{read(at + 4), read(at + 8), false};
        found.is_valid = seal == seal_of(found.sequence, found.position);
        return found;
    }

    void write_slot(std::uint32_t slot, const Record& what) {
        const std::uint32_t at = slot * k_slot_bytes;
        write(at, 0, 1);
        write(at + 4, what.sequence, 2);
        write(at + 8, what.position, 3);
        write(at, seal_of(what.sequence, what.position), 4);
    }

    std::uint32_t active = 0;
    Record record;

    void find_record() {
        if (options.fault == ToyFault::torn_flag) {
            record = {0, read(0), true};
            const auto end = static_cast<std::uint32_t>(options.tasks * options.inferences);
            if (record.position >= 0x100 && record.position < 0x100 + end * 0x101) {
                record.position = (record.position - 0x100) / 0x101;
                return;
            }
            note(Step::Kind::first_boot);
            write(0, 0x100, 5);
            record.position = 0;
            return;
        }
        const Record first = read_slot(0), second = read_slot(1);
        active = second.is_valid && (!first.is_valid || second.sequence > first.sequence) ? 1 : 0;
        record = active == 1 ? second : first;
        if (!record.is_valid) {
            note(Step::Kind::first_boot);
            write(k_slot_bytes, 0, 6);
            record = {1, 0, true};
            write_slot(0, record);
            active = 0;
        }
    }

    void commit() {
        ++record.sequence;
        ++record.position;
        if (options.fault == ToyFault::torn_flag) {
            write(0, 0x100 + record.position * 0x101, 7);
        } else if (options.fault == ToyFault::active_slot) {
            write_slot(active, record);
        } else {
            active = 1 - active;
            write_slot(active, record);
        }
        note(Step::Kind::commit);
    }

    std::uint32_t home(int task) const {
        const bool in_place = options.fault == ToyFault::write_after_read;
        return k_homes_at + 16 * static_cast<std::uint32_t>(in_place ? 0 : task);
    }

    void run_task(int task, std::uint32_t inference, std::uint32_t boots) {
        const bool is_last = task == options.tasks - 1;
        const std::uint32_t value = task == 0 ? input_of(inference) : read(home(task - 1));
        if (options.fault == ToyFault::commit_before_data && !is_last) {
            commit();
        }
        if (is_last) {
            std::uint32_t out = value;
            out += options.fault == ToyFault::counter_at_boot ? boots : 0;
            out += options.fault == ToyFault::output_from_volatile ? static_cast<std::uint32_t>(steps.size()) : 0;
            if (options.fault == ToyFault::neighbour) {
                write(home(task - 1) + 4, 7, 11);
            }
            outputs.push_back({inference, 0, bytes_of(out)});
            note(Step::Kind::output, static_cast<int>(outputs.size()) - 1);
        } else {
            write(home(task), work(value, task), 8);
            write(home(task) + 4, value, 9);  // a byproduct that nobody reads
        }
        if (options.fault != ToyFault::commit_before_data || is_last) {
            commit();
        }
    }

    void run() {
        std::uint32_t boots = 0;
        if (options.fault == ToyFault::counter_at_boot) {
            boots = read(k_count_at) & 3U;
            write(k_count_at, boots + 1, 10);
        }
        find_record();
        note(Step::Kind::resume, static_cast<int>(record.position));
        while (record.position < static_cast<std::uint32_t>(options.tasks * options.inferences)) {
            const auto task = static_cast<int>(record.position) % options.tasks;
            run_task(task, record.position / static_cast<std::uint32_t>(options.tasks), boots);
        }
    }
};

ToyMachine::ToyMachine(ToyOptions options) : m_options(options) {
    record();
}

void ToyMachine::record() {
    Life life(m_options);
    life.nvm = std::string(128, '\0');
    m_recording.nvm_bytes = 128;
    m_recording.tasks = m_options.tasks;
    m_recording.unit_bytes = m_options.unit_bytes;
    m_recording.images = {life.nvm};
    life.run();
    m_expected = life.outputs;
    std::string nvm = m_recording.images[0];
    IntervalSet written;
    for (const Step& step : life.steps) {
        if (step.kind == Step::Kind::write) {
            nvm.replace(step.write.address, 4, bytes_of(step.write.value));
            written.add(step.write.address, step.write.address + 4);
        } else if (step.kind == Step::Kind::commit) {
            m_recording.images.push_back(nvm);
            m_recording.written.push_back(std::exchange(written, {}));
        }
    }
    m_recording.written.push_back(written);
    BootResult all = result_of(life);
    m_recording.segments = {all.first};
    if (all.future >= 0) {
        const Future& rest = m_futures[static_cast<std::size_t>(all.future)];
        m_recording.segments.insert(m_recording.segments.end(), rest.segments.begin(), rest.segments.end());
    }
}

BootResult ToyMachine::result_of(Life& life) {
    std::vector<std::shared_ptr<Segment>> segments{std::make_shared<Segment>()};
    for (const Step& step : life.steps) {
        Segment& segment = *segments.back();
        segment.steps.push_back(step);
        if (step.kind == Step::Kind::output) {
            segment.outputs.push_back(life.outputs[static_cast<std::size_t>(step.index)]);
            segment.steps.back().index = static_cast<int>(segment.outputs.size()) - 1;
        } else if (step.kind == Step::Kind::commit) {
            segments.push_back(std::make_shared<Segment>());
        }
    }
    segments.back()->halt.kind = Halt::Kind::idle;
    BootResult result;
    result.first = segments.front();
    if (segments.size() > 1) {
        Future future{{segments.begin() + 1, segments.end()}};
        result.future = static_cast<int>(m_futures.size());
        m_futures.push_back(std::move(future));
    }
    return result;
}

Result<std::vector<BootResult>> ToyMachine::boot(const std::vector<BootImage>& images) {
    std::vector<BootResult> results;
    for (const BootImage& image : images) {
        Life life(m_options);
        life.nvm = m_recording.images[static_cast<std::size_t>(image.boundary)];
        for (const Run& run : image.differs) {
            life.nvm.replace(run.address, run.bytes.size(), run.bytes);
        }
        life.unknown = image.unknown;
        try {
            life.run();
            results.push_back(result_of(life));
        } catch (const UnknownRead& read) {
            BootResult result;
            result.needs_unknown = true;
            result.unknown_address = read.address;
            result.unknown_bytes = 4;
            results.push_back(std::move(result));
        }
    }
    return results;
}

Result<std::vector<IntervalSet>> ToyMachine::needed_after_clean_stops() {
    std::vector<IntervalSet> needed;
    for (const std::string& image : m_recording.images) {
        Life life(m_options);
        life.nvm = image;
        life.run();
        IntervalSet& set = needed.emplace_back();
        for (std::uint32_t at = 0; at < m_recording.nvm_bytes; at += 4) {
            if ((life.needed >> at / 4 & 1U) != 0) {
                set.add(at, at + 4);
            }
        }
    }
    return needed;
}

std::string ToyMachine::place(std::uint32_t pc) const {
    return "line " + std::to_string(pc);
}

CrashRules ToyMachine::rules() const {
    CrashRules rules;
    rules.expected = m_expected;
    rules.header_bytes = k_homes_at;
    rules.boots_max = 20'000;
    return rules;
}

std::set<std::string> ToyMachine::brute_force(int depth) {
    std::set<std::string> kinds;
    force(m_recording.images[0], 0, 0, depth, kinds);
    return kinds;
}

// Lives on from an image, in which `boundary` commits were complete and `delivered` outputs handed over.
void ToyMachine::force(const std::string& nvm, int boundary, std::size_t delivered, int depth,
                       std::set<std::string>& kinds) {
    Life whole(m_options);
    whole.nvm = nvm;
    whole.run();
    std::size_t units = 0, outputs = delivered;
    int commits = boundary;
    const auto cut_at = [&](std::size_t unit, int at, std::size_t handed_over) {
        const unsigned masks = m_options.unit_bytes > 4 ? emu::k_ruined + emu::k_ruins : 15;
        for (unsigned mask = 0; depth > 0 && mask < masks; ++mask) {
            if (mask == 15) {
                continue;
            }
            Life life(m_options);
            life.nvm = nvm;
            life.units_left = static_cast<std::int64_t>(unit);
            life.mask = mask;
            try {
                life.run();
            } catch (const PowerCut&) {
                force(life.nvm, at, handed_over, depth - 1, kinds);
            }
        }
    };
    for (const Step& step : whole.steps) {
        switch (step.kind) {
            case Step::Kind::write:
                cut_at(units, commits, outputs);
                ++units;
                break;
            case Step::Kind::output: {
                const Output& output = whole.outputs[static_cast<std::size_t>(step.index)];
                const std::size_t at = output.sequence;
                if (at > outputs || at + 1 < outputs) {
                    kinds.insert("output");
                } else if (m_expected[at].bytes != output.bytes) {
                    kinds.insert("output");
                }
                outputs = std::max(outputs, at + 1);
                break;
            }
            case Step::Kind::first_boot:
                if (boundary > 0) {
                    kinds.insert("progress");
                }
                break;
            case Step::Kind::resume:
                if (step.index != boundary) {
                    kinds.insert("progress");
                }
                break;
            case Step::Kind::commit:
                ++commits;
                break;
            case Step::Kind::body:
                break;
        }
    }
}

}  // namespace metamorph::verify::test

#include "verify/emulated_machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "util/thread_pool.h"

namespace metamorph::verify {
namespace {

constexpr int k_nothing_follows = -1;

const char* status_name(std::uint32_t code) {
    switch (code) {  // 1 + mm_status_t
        case 4:
            return "the memory does not answer, or is too small";
        case 5:
            return "a table contradicts itself";
        default:
            return "for a reason of the port's own";
    }
}

void append_writes(const std::vector<Step>& steps, std::string& nvm, IntervalSet& written) {
    std::vector<Interval> touched;
    for (const Step& step : steps) {
        if (step.kind != Step::Kind::write) {
            continue;
        }
        const NvmWrite& w = step.write;
        for (unsigned i = 0; i < w.bytes; ++i) {
            nvm[w.address + i] = static_cast<char>(w.value >> 8 * i);
        }
        if (!touched.empty() && touched.back().end == w.address) {
            touched.back().end += w.bytes;
        } else {
            touched.push_back({w.address, std::int64_t{w.address} + w.bytes});
        }
    }
    for (const Interval& i : touched) {
        written.add(i.begin, i.end);
    }
}

}  // namespace

Halt EmulatedMachine::told(const emu::RawHalt& halt) const {
    const int task = static_cast<int>(halt.code >> 16);
    const std::string where = m_program.place(halt.pc);
    switch (halt.kind) {
        case emu::HaltKind::none:
        case emu::HaltKind::cut:
            break;
        case emu::HaltKind::idle:
            return {Halt::Kind::idle, "idle", -1};
        case emu::HaltKind::no_progress:
            return {Halt::Kind::no_progress, fmt::format("no progress in task {}", task), task};
        case emu::HaltKind::fatal:
            return {Halt::Kind::fatal,
                    fmt::format("the program gives up in task {}: {}", task, status_name(halt.code & 0xFFFFU)), task};
        case emu::HaltKind::crashed:
            return {Halt::Kind::crashed, fmt::format("{}, at {}", halt.what, where), -1};
        case emu::HaltKind::endless:
            return {Halt::Kind::endless,
                    fmt::format("more than {} instructions in one boot and no end, at {}", m_firmware.instructions_max,
                                where),
                    -1};
    }
    return {};
}

Fault EmulatedMachine::told(const emu::RawFault& fault) const {
    Fault told;
    told.where = m_program.place(fault.pc);
    switch (fault.kind) {
        case emu::RawFault::Kind::poisoned_read:
            told.kind = "poisoned-read";
            told.what = fmt::format("SRAM that nothing has written since power-on is read: {}",
                                    m_program.object_at(fault.address));
            break;
        case emu::RawFault::Kind::spi_write_without_enable:
            told.kind = "spi-write-without-enable";
            told.what = fmt::format("the chip ignores a write to NVM {}: it is not write-enabled", fault.address);
            break;
        case emu::RawFault::Kind::write_outside:
            told.kind = "write-outside-plan";
            told.what = fmt::format("NVM {} is written, beyond what the program uses", fault.address);
            break;
    }
    return told;
}

Segment EmulatedMachine::told(const emu::RawSegment& raw) const {
    Segment segment;
    segment.steps = raw.steps;
    segment.outputs = raw.outputs;
    for (const emu::RawFault& fault : raw.faults) {
        segment.faults.push_back(told(fault));
    }
    segment.halt = told(raw.halt);
    segment.instructions = raw.instructions;
    return segment;
}

// `nvm`: before the segment; after it, what it holds behind this part.
Body EmulatedMachine::body_of(const emu::RawSegment& raw, const emu::RawSegment::Part& part, int boundary,
                              std::string& nvm) const {
    Body body;
    body.boundary = boundary;
    body.task = boundary % m_recording.tasks;
    body.steps.assign(raw.steps.begin() + part.begin, raw.steps.begin() + part.end);
    for (Step& step : body.steps) {
        if (step.kind == Step::Kind::output) {
            body.outputs.push_back(raw.outputs[static_cast<std::size_t>(step.index)]);
            step.index = static_cast<int>(body.outputs.size() - 1);
        }
    }
    append_writes(body.steps, nvm, body.written);
    body.torn = units_of(body.written, m_recording.unit_bytes);
    for (const Interval& i : body.written.intervals()) {
        body.last.push_back({static_cast<std::uint32_t>(i.begin),
                             nvm.substr(static_cast<std::size_t>(i.begin), static_cast<std::size_t>(i.bytes()))});
    }
    return body;
}

// The steps of each body move out of its segment, which keeps one step that names it.
void EmulatedMachine::take_recording(const std::vector<emu::RawSegment>& segments, const std::string& start) {
    m_recording.nvm_bytes = static_cast<std::uint32_t>(start.size());
    m_recording.unit_bytes = m_firmware.unit_bytes;
    m_recording.tasks = static_cast<int>(m_firmware.task_functions.size());
    std::string nvm = start;
    m_recording.images.push_back(nvm);
    for (std::size_t b = 0; b < segments.size(); ++b) {
        const emu::RawSegment& raw = segments[b];
        Segment segment = told(raw);
        std::string after = nvm;
        segment.steps.clear();
        auto next = raw.steps.begin();
        for (const emu::RawSegment::Part& part : raw.parts) {
            segment.steps.insert(segment.steps.end(), next, raw.steps.begin() + part.begin);
            next = raw.steps.begin() + part.end;
            segment.steps.push_back({Step::Kind::body, {}, part.part});
            m_recording.bodies.push_back(body_of(raw, part, static_cast<int>(b), after));
        }
        segment.steps.insert(segment.steps.end(), next, raw.steps.end());
        IntervalSet written;
        append_writes(raw.steps, nvm, written);
        m_recording.written.push_back(std::move(written));
        m_recording.segments.push_back(std::make_shared<const Segment>(std::move(segment)));
        if (b + 1 < segments.size()) {
            m_recording.images.push_back(nvm);
        }
    }
    for (std::size_t b = 0; b < segments.size(); ++b) {
        m_futures.push_back(
            {{m_recording.segments.begin() + static_cast<std::ptrdiff_t>(b), m_recording.segments.end()}});
    }
}

// The first `workers` of them at once. One that is gone is started again, here, and asked once more.
template <typename T, typename Request>
Result<std::vector<T>> EmulatedMachine::ask_workers(std::size_t workers, Request request) {
    std::vector<Result<T>> answers(workers, Result<T>(T{}));
    MM_CHECK(parallel_for(static_cast<int>(workers), static_cast<std::int64_t>(workers), [&](std::int64_t i) -> Status {
        const auto at = static_cast<std::size_t>(i);
        answers[at] = request(m_workers[at], at);
        return {};
    }));
    std::vector<T> results;
    for (std::size_t i = 0; i < workers; ++i) {
        if (!answers[i] && answers[i].error().code == ErrorCode::system) {
            MM_CHECK(m_workers[i].restart());
            answers[i] = request(m_workers[i], i);
        }
        if (!answers[i]) {
            return tl::unexpected(answers[i].error());
        }
        results.push_back(std::move(*answers[i]));
    }
    return results;
}

Result<std::unique_ptr<EmulatedMachine>> EmulatedMachine::record(const emu::Program& program,
                                                                 const emu::Firmware& firmware,
                                                                 const std::string& start, int workers) {
    std::unique_ptr<EmulatedMachine> machine(new EmulatedMachine(program, firmware));
    MM_TRY(const std::filesystem::path path, emu::find_worker());
    for (int i = 0; i < workers; ++i) {
        MM_TRY(emu::Worker worker, emu::Worker::start(path, firmware));
        machine->m_workers.push_back(std::move(worker));
    }
    MM_TRY(const std::vector<std::vector<emu::RawSegment>> recorded,
           machine->ask_workers<std::vector<emu::RawSegment>>(
               machine->m_workers.size(), [&](emu::Worker& worker, std::size_t) { return worker.record(start); }));
    machine->take_recording(recorded.front(), start);
    return machine;
}

std::size_t EmulatedMachine::workers_for(std::size_t images) const {
    constexpr std::size_t k_share = 16;  // less is not worth a second worker
    return std::min(m_workers.size(), std::max<std::size_t>(images / k_share, 1));
}

std::size_t EmulatedMachine::worker_of(std::size_t image, std::size_t images) const {
    return image * workers_for(images) / images;
}

Result<std::vector<emu::RawBoot>> EmulatedMachine::boot_raw(const std::vector<BootImage>& images, bool wants_needed) {
    std::vector<std::vector<emu::RawImage>> shares(workers_for(images.size()));
    for (std::size_t i = 0; i < images.size(); ++i) {
        shares[worker_of(i, images.size())].push_back(
            {static_cast<std::uint32_t>(images[i].boundary), images[i].differs, images[i].unknown.intervals()});
    }
    MM_TRY(std::vector<std::vector<emu::RawBoot>> answers,
           ask_workers<std::vector<emu::RawBoot>>(shares.size(), [&](emu::Worker& worker, std::size_t i) {
               return worker.boot(shares[i], wants_needed);
           }));
    std::vector<emu::RawBoot> boots;
    for (auto& answer : answers) {
        std::move(answer.begin(), answer.end(), std::back_inserter(boots));
    }
    if (boots.size() != images.size()) {
        return fail(ErrorCode::internal, "", "the emulator answers for {} boots, asked for {}", boots.size(),
                    images.size());
    }
    return boots;
}

Result<std::vector<BootResult>> EmulatedMachine::boot(const std::vector<BootImage>& images) {
    std::vector<BootResult> results;
    if (images.empty()) {
        return results;
    }
    MM_TRY(const std::vector<emu::RawBoot> boots, boot_raw(images, false));
    for (std::size_t i = 0; i < boots.size(); ++i) {
        results.push_back(told(boots[i], worker_of(i, boots.size())));
    }
    return results;
}

BootResult EmulatedMachine::told(const emu::RawBoot& boot, std::size_t worker) {
    BootResult result;
    result.needs_unknown = boot.needs_unknown;
    if (boot.needs_unknown) {
        result.unknown_address = boot.unknown_address;
        result.unknown_bytes = boot.unknown_bytes;
        result.unknown_where = place(boot.unknown_pc);
        return result;
    }
    result.first = std::make_shared<const Segment>(told(boot.segments.front()));
    result.future = future_of(boot, worker);
    return result;
}

int EmulatedMachine::future_of(const emu::RawBoot& boot, std::size_t worker) {
    if (boot.like >= 0) {
        const auto known = m_watched.find({worker, boot.like});
        return known == m_watched.end() ? k_nothing_follows : known->second;
    }
    const int future = boot.segments.size() == 1 ? boot.joined : future_of_its_own(boot);
    if (boot.watched >= 0) {
        m_watched[{worker, boot.watched}] = future;
    }
    return future;
}

int EmulatedMachine::future_of_its_own(const emu::RawBoot& boot) {
    emu::Writer writer;
    writer(boot.joined);
    for (std::size_t i = 1; i < boot.segments.size(); ++i) {
        emu::RawSegment segment = boot.segments[i];
        segment.instructions = 0;
        writer(segment);
    }
    const auto [at, is_new] = m_other_futures.emplace(writer.take(), static_cast<int>(m_futures.size()));
    if (is_new) {
        Future future;
        for (std::size_t i = 1; i < boot.segments.size(); ++i) {
            future.segments.push_back(std::make_shared<const Segment>(told(boot.segments[i])));
        }
        if (boot.joined >= 0) {
            const auto& rest = m_futures[static_cast<std::size_t>(boot.joined)].segments;
            future.segments.insert(future.segments.end(), rest.begin(), rest.end());
        }
        m_futures.push_back(std::move(future));
    }
    return at->second;
}

Result<std::vector<IntervalSet>> EmulatedMachine::needed_after_clean_stops() {
    std::vector<BootImage> images(m_recording.images.size());
    for (std::size_t b = 0; b < images.size(); ++b) {
        images[b].boundary = static_cast<int>(b);
    }
    MM_TRY(const std::vector<emu::RawBoot> boots, boot_raw(images, true));
    std::vector<IntervalSet> needed;
    for (std::size_t b = 0; b < boots.size(); ++b) {
        IntervalSet& set = needed.emplace_back();
        (void)future_of(boots[b], worker_of(b, boots.size()));  // others may go on like it
        for (const Interval& i : boots[b].needed) {
            set.add(i.begin, i.end);
        }
    }
    return needed;
}

Result<emu::CutRun> EmulatedMachine::run_with_cut(const std::string& nvm, const emu::CutSpec& cut) {
    MM_TRY(std::vector<emu::CutRun> runs, ask_workers<emu::CutRun>(1, [&](emu::Worker& worker, std::size_t) {
               return worker.run_with_cut(nvm, cut);
           }));
    return std::move(runs.front());
}

int EmulatedMachine::restarts() const {
    int sum = 0;
    for (const emu::Worker& worker : m_workers) {
        sum += worker.restarts();
    }
    return sum;
}

}  // namespace metamorph::verify

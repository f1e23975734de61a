#include "pipeline/verify.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "emu/program.h"
#include "emu/worker.h"
#include "pipeline/counted.h"
#include "pipeline/crash_rules.h"
#include "pipeline/cycles.h"
#include "pipeline/emulated_board.h"
#include "pipeline/inputs.h"
#include "pipeline/project_folder.h"
#include "pipeline/verify_state.h"
#include "pipeline/work_folder.h"
#include "pipeline/woven_folder.h"
#include "util/interrupt.h"
#include "verify/crash_graph.h"
#include "verify/diagnosis.h"
#include "verify/emulated_machine.h"
#include "verify/firmware_build.h"
#include "verify/lives.h"
#include "verify/memory_image.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_hang_factor = 4, k_hang_instructions = 5'000'000;
constexpr std::uint64_t k_plain_instructions_max = 200'000'000'000;

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_began).count(); }

private:
    std::chrono::steady_clock::time_point m_began = std::chrono::steady_clock::now();
};

Result<std::vector<WovenFolder>> make_projects(const VerifyRequest& request, const fs::path& work) {
    std::vector<WovenFolder> projects;
    if (request.is_woven) {
        MM_TRY(WovenFolder project, read_woven_folder(request.model));
        if (!project.device) {
            return fail_with_hint(ErrorCode::options, project.folder.string(),
                                  "this project is woven for this host, not for a device",
                                  "'metamorph run DIR' cuts its power here; for firmware, weave it with --device");
        }
        projects.push_back(std::move(project));
        return projects;
    }
    for (const app::Device& device : request.devices) {
        const fs::path folder = work / device.name;
        const bool is_mapped = device.attachment == app::Attachment::mapped;
        WeaveRequest weaving{
            request.model, request.prefix, request.split, is_mapped ? tasks::NvmMode::mapped : tasks::NvmMode::bus, {}};
        weaving.slices = request.slices;
        weaving.generator_options = request.generator_options;
        weaving.device = &device;
        MM_TRY(const Woven woven,
               request.foreign != nullptr ? weave_foreign(*request.foreign, weaving) : weave_model(weaving));
        MM_CHECK(write_project(folder, woven.project.files));
        MM_TRY(WovenFolder project, read_woven_folder(folder));
        project.explanation = woven.explanation;
        projects.push_back(std::move(project));
    }
    return projects;
}

Result<const app::Compiler*> find_compiler(const app::Device& device, const std::string& name) {
    if (name.empty()) {
        return &device.compilers.front();
    }
    const app::Compiler* compiler = device.compiler(name);
    if (compiler == nullptr) {
        return fail(ErrorCode::options, "--toolchain", "{} has no toolchain called '{}'", device.name, name);
    }
    return compiler;
}

class OneDevice {
public:
    // `states`: in, of an earlier run; out, of this one (SearchOfDevice of this device is added).
    OneDevice(const VerifyRequest& request, const WovenFolder& project, const std::vector<SearchOfDevice>& earlier,
              std::vector<SearchOfDevice>& states)
        : m_request(request), m_project(project), m_earlier(earlier), m_states(states) {}

    Result<report::VerifiedDevice> run(const fs::path& work, const std::string& inputs) {
        const app::Device& device = *m_project.device;
        const weave::WovenSummary& s = m_project.summary;
        MM_TRY(const app::Compiler* compiler, find_compiler(device, m_request.toolchain));
        m_result.device = device.name;
        m_result.core = app::name_of(device.core);
        m_result.clock_hz = device.clock_hz;
        m_result.nvm = app::name_of(device.attachment);
        m_result.toolchain = compiler->name;
        m_result.split = s.split;
        m_result.tasks = s.task_names;
        m_result.nvm_bytes = s.nvm_bytes;
        m_result.crossing_bytes = s.crossing_bytes;
        m_result.commit_record_bytes = s.commit_record_bytes;

        show("building");
        const Stopwatch building;
        MM_TRY(const verify::FirmwareBuild build,
               verify::build_firmware(m_project.folder, work, s.app_target, s.plain_target,
                                      {compiler->name, compiler->program, compiler->packages}, m_request.jobs));
        m_result.build_seconds = building.seconds();
        m_result.sizes = build.sizes;
        emu::Firmware board = board_of(device);
        board.inferences = static_cast<std::uint32_t>(m_request.inferences);
        board.input_bytes = inputs;
        MM_TRY(const std::vector<emu::Output> expected, run_plain(board, build.plain));
        MM_TRY(const emu::Program app, emu::Program::read(build.app, board.core));
        MM_TRY(const verify::FirmwareTables tables, verify::read_tables(app));
        MM_CHECK(load(board, app, tables));
        MM_CHECK(run_woven(board, app, expected));
        if (!m_request.cuts) {
            m_result.method = "uninterrupted";
            return std::move(m_result);
        }
        MM_CHECK(prove(board, app, tables, expected));
        return std::move(m_result);
    }

private:
    using Failures = std::vector<verify::CrashFailure>;

    void show(const std::string& what, std::uint64_t done = 0, std::uint64_t total = 0) const {
        if (m_request.progress) {
            m_request.progress(fmt::format("{}: {}", m_project.device->name, what), done, total);
        }
    }

    // As many inferences as asked for, and one more: so what an inference costs is known without the start.
    Result<std::vector<emu::PlainRun>> run_uninterrupted(emu::Firmware board) const {
        MM_TRY(const fs::path path, emu::find_worker());
        std::vector<emu::PlainRun> runs;
        for (int i = 0; i < 2; ++i) {
            MM_TRY(emu::Worker worker, emu::Worker::start(path, board));
            MM_TRY(emu::PlainRun run, worker.run_plain());
            runs.push_back(std::move(run));
            board.input_bytes += board.input_bytes.substr(0, board.input_bytes.size() / board.inferences);
            ++board.inferences;
        }
        return runs;
    }

    Result<std::vector<emu::Output>> run_plain(emu::Firmware board, const fs::path& elf) {
        show("running the plain program");
        MM_TRY(const emu::Program plain, emu::Program::read(elf, board.core));
        board.load = plain.load();
        board.entry = plain.entry();
        MM_TRY(const emu::Symbol stack, plain.symbol("mm_stack_limit"));
        board.stack_limit = stack.address;
        board.instructions_max = k_plain_instructions_max;
        MM_TRY(std::vector<emu::PlainRun> runs, run_uninterrupted(board));
        const emu::RawHalt& halt = runs.front().halt;
        if (halt.kind != emu::HaltKind::idle) {
            return fail(ErrorCode::check_failed, elf.string(), "the plain program does not end as it should: {}, at {}",
                        halt.what, plain.place(halt.pc));
        }
        m_result.plain = priced(runs[0].counters, *m_project.device);
        MM_TRY(m_result.plain_memory, memory_of(board, plain, runs[0]));
        m_result.plain_each = priced(runs[1].counters.minus(runs[0].counters), *m_project.device);
        for (const emu::Output& output : runs.front().outputs) {
            m_result.outputs.push_back(output.bytes);
        }
        return std::move(runs.front().outputs);
    }

    Status load(emu::Firmware& board, const emu::Program& app, const verify::FirmwareTables& tables) const {
        board.load = app.load();
        board.entry = app.entry();
        board.stack_limit = tables.stack_limit;
        board.used_bytes = tables.nvm_bytes;
        board.event_function = tables.event_function;
        board.inference_at = tables.inference_at;
        board.task_functions = tables.task_functions;
        board.instructions_max = k_hang_factor * m_result.plain.instructions + k_hang_instructions;
        if (tables.task_functions.size() != m_project.summary.task_names.size() || board.used_bytes > board.nvm_bytes) {
            return fail_with_hint(ErrorCode::model, app.path().string(),
                                  "the program does not fit the weave.json of its project", "build it anew");
        }
        return {};
    }

    // Fast, only to count: the search has its own run, which sees every access.
    Status run_woven(const emu::Firmware& board, const emu::Program& app, const std::vector<emu::Output>& expected) {
        show("running the woven program");
        MM_TRY(const std::vector<emu::PlainRun> runs, run_uninterrupted(board));
        const emu::PlainRun& run = runs.front();
        m_result.woven = priced(run.counters, *m_project.device);
        MM_TRY(m_result.woven_memory, memory_of(board, app, run));
        m_result.woven_each = priced(runs[1].counters.minus(run.counters), *m_project.device);
        m_result.by_function = by_function(app, *m_project.device, run, runs[1]);
        m_result.by_task = by_task(m_result.tasks, *m_project.device, runs[1]);
        m_result.is_equal_uninterrupted =
            run.halt.kind == emu::HaltKind::idle &&
            std::equal(run.outputs.begin(), run.outputs.end(), expected.begin(), expected.end(),
                       [](const emu::Output& a, const emu::Output& b) {
                           return a.sequence == b.sequence && a.index == b.index && a.bytes == b.bytes;
                       });
        return {};
    }

    Status prove(const emu::Firmware& board, const emu::Program& app, const verify::FirmwareTables& tables,
                 const std::vector<emu::Output>& expected) {
        show("recording");
        const Stopwatch recording;
        const bool is_single = !m_request.replay.empty() || !m_request.merges;
        MM_TRY(const auto machine, verify::EmulatedMachine::record(app, board, std::string(board.used_bytes, '\0'),
                                                                   is_single ? 1 : m_request.jobs));
        m_result.recording_seconds = recording.seconds();
        for (int task = 0; task < machine->recording().tasks; ++task) {
            const auto at = static_cast<std::size_t>(task);
            if (at < machine->recording().segments.size()) {
                m_result.task_instructions.push_back(machine->recording().segments[at]->instructions);
            }
        }
        const verify::CrashRules rules =
            crash_rules(m_project.summary, tables, machine->recording(), expected, m_request.depth);
        const Stopwatch searching;
        Failures failures;
        if (!m_request.replay.empty()) {
            MM_TRY(failures, replay(*machine, rules, app));
        } else if (m_request.merges) {
            MM_TRY(failures, search(*machine, rules, board));
        } else {
            MM_TRY(failures, cut_one_by_one(*machine, rules, board));
        }
        m_result.search_seconds = searching.seconds();
        MM_CHECK(take(*machine, rules, app, tables, failures));
        m_result.emulator_restarts = machine->restarts();
        return {};
    }

    Result<Failures> search(verify::EmulatedMachine& machine, verify::CrashRules rules, const emu::Firmware& board) {
        rules.progress = [this](std::uint64_t boots) { show("looking for states, boots:", boots); };
        const HeldInterrupt held;
        rules.is_interrupted = interrupted_by(held);
        m_result.method = m_request.depth == 0 ? "graph" : fmt::format("depth {}", m_request.depth);
        MM_TRY(SearchOfDevice now, search_of(m_result.device, board, m_result.method, m_earlier));
        MM_TRY(verify::CrashVerdict verdict, verify::search_crash_states(machine, rules, now.state));
        now.state = std::move(verdict.state);
        m_states.push_back(std::move(now));
        if (verdict.is_interrupted || held.is_due()) {
            return leave_state(fmt::format("{} boots", verdict.boots), held);
        }
        m_result.is_exhaustive = verdict.is_closed;
        m_result.units = verdict.units;
        m_result.significant_units = verdict.significant_units;
        m_result.torn_states = verdict.torn_states;
        m_result.states = verdict.states;
        m_result.boots = verdict.boots;
        m_result.passes = verdict.passes;
        m_result.boot_instructions = verdict.instructions;
        return verdict.failures;
    }

    std::function<bool()> interrupted_by(const HeldInterrupt& held) const {
        if (m_request.state.empty()) {
            return {};
        }
        return [&] { return held.is_due() || (m_request.is_interrupted && m_request.is_interrupted()); };
    }

    tl::unexpected<Error> leave_state(const std::string& done, const HeldInterrupt& held) {
        const tl::unexpected<Error> told(leave_states(m_request.state, m_states, done));
        if (m_request.on_interrupt) {
            m_request.on_interrupt(told.value());
        }
        held.act();
        return told;
    }

    Result<Failures> cut_one_by_one(verify::EmulatedMachine& machine, const verify::CrashRules& rules,
                                    const emu::Firmware& board) {
        verify::OneByOneRequest cutting;
        cutting.depth = std::max(m_request.depth, 1);
        cutting.cuts_max = m_request.cuts_max == 0 ? UINT64_MAX : m_request.cuts_max;
        cutting.progress = [this](std::uint64_t done, std::uint64_t total) { show("cutting the power", done, total); };
        const HeldInterrupt held;
        cutting.is_interrupted = interrupted_by(held);
        m_result.method = "one by one";
        const std::string cuts = m_request.cuts_max == 0 ? "every" : std::to_string(m_request.cuts_max);
        const std::string method = fmt::format("{}, depth {}, cut {}", m_result.method, cutting.depth, cuts);
        MM_TRY(SearchOfDevice now, search_of(m_result.device, board, method, m_earlier));
        cutting.state = now.state;
        MM_TRY(verify::OneByOneVerdict verdict, verify::cut_one_by_one(machine, rules, cutting));
        now.state = std::move(verdict.state);
        m_states.push_back(std::move(now));
        if (verdict.is_interrupted || held.is_due()) {
            return leave_state(fmt::format("{} cuts", verdict.cuts), held);
        }
        m_result.is_exhaustive = true;
        m_result.places = verdict.places;
        m_result.cuts = verdict.cuts;
        return verdict.failures;
    }

    Result<Failures> replay(verify::EmulatedMachine& machine, const verify::CrashRules& rules,
                            const emu::Program& app) {
        MM_TRY(const verify::CutList cuts, verify::parse_cuts(m_request.replay));
        MM_TRY(const verify::Replay replayed, verify::replay(machine, rules, cuts));
        m_result.method = "replay";
        m_result.is_exhaustive = true;
        for (std::size_t i = 0; i < replayed.lives.size(); ++i) {
            const verify::Life& life = replayed.lives[i];
            m_result.lives.push_back(fmt::format("power cycle {}: {} instructions, {} commits; {}", i + 1,
                                                 life.instructions, life.segments.size() - 1, life.end));
        }
        if (!m_request.gdb.empty()) {
            const verify::Life& last = replayed.lives[replayed.lives.size() > 1 ? replayed.lives.size() - 2 : 0];
            MM_CHECK(verify::write_memory_image(m_request.gdb, app, last, board_of(*m_project.device)));
            m_result.lives.push_back(fmt::format("its state when power was lost: {} (for a debugger: docs/proof.md)",
                                                 m_request.gdb.string()));
        }
        return replayed.failures;
    }

    Status take(verify::EmulatedMachine& machine, const verify::CrashRules& rules, const emu::Program& app,
                const verify::FirmwareTables& tables, const std::vector<verify::CrashFailure>& failures) {
        const verify::DiagnosisPlan plan{tables, m_project.summary.is_slice};
        const auto& names = m_project.summary.task_names;
        for (const verify::CrashFailure& f : failures) {
            show("finding the cause");
            MM_TRY(const verify::Diagnosis cause, verify::diagnose(machine, rules, plan, app, f));
            const std::string task = f.task < 0 || static_cast<std::size_t>(f.task) >= names.size()
                                         ? "-"
                                         : fmt::format("{} ({})", f.task, names[static_cast<std::size_t>(f.task)]);
            m_result.failures.push_back({cause.kind.empty() ? f.symptom : cause.kind, f.symptom, f.cuts, task,
                                         cause.kind.empty() ? f.what : f.what + "; " + cause.evidence, f.where});
        }
        return {};
    }

    const VerifyRequest& m_request;
    const WovenFolder& m_project;
    const std::vector<SearchOfDevice>& m_earlier;
    std::vector<SearchOfDevice>& m_states;
    report::VerifiedDevice m_result;
};

Result<report::VerifyResult> verify_in(const fs::path& work, const VerifyRequest& request) {
    MM_TRY(const std::vector<WovenFolder> projects, make_projects(request, work));
    const weave::WovenSummary& summary = projects.front().summary;
    report::VerifyResult result;
    result.model_file = summary.model_file;
    result.model_sha256 = summary.model_sha256;
    result.inferences = request.inferences;
    const auto each = static_cast<std::size_t>(summary.input_bytes);
    std::string inputs;
    if (request.inputs_for) {
        MM_TRY(inputs, request.inputs_for(summary));
        result.inputs = "as given";
    } else if (request.inputs.empty()) {
        inputs = random_inferences(request.seed, request.inferences, each, summary.input_floats);
        result.inputs = fmt::format("random, seed {}", request.seed);
    } else {
        MM_TRY(inputs, file_inputs(request.inputs, request.inferences, each));
        result.inputs = request.inputs.filename().string();
    }
    std::vector<SearchOfDevice> earlier, states;
    if (!request.resume.empty()) {
        std::vector<std::string> devices;
        for (const WovenFolder& project : projects) {
            devices.push_back(project.device->name);
        }
        MM_TRY(earlier, read_states(request.resume, devices));
    }
    result.notes = projects.front().summary.notes;
    result.generator_notes = request.foreign != nullptr ? request.foreign->notes : std::vector<std::string>{};
    for (const WovenFolder& project : projects) {
        MM_TRY(report::VerifiedDevice device,
               OneDevice(request, project, earlier, states).run(work / (project.device->name + "-build"), inputs));
        result.devices.push_back(std::move(device));
        if (request.explain) {
            result.explanation += fmt::format("{}\n{}\n", project.device->name, project.explanation);
        }
    }
    return result;
}

}  // namespace

Result<report::VerifyResult> verify(const VerifyRequest& request) {
    if (!request.replay.empty()) {
        MM_CHECK(verify::parse_cuts(request.replay));  // before minutes are spent on building what it cannot belong to
    }
    return in_work_folder(request.keep, "metamorph-verify",
                          [&](const fs::path& work) { return verify_in(work, request); });
}

}  // namespace metamorph::pipeline

#include "matrix/execute.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "matrix/outcome.h"
#include "matrix/stage_pool.h"

namespace metamorph::matrix {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_trash = "trash";
constexpr std::int64_t k_log_bytes_max = 256LL << 20;

class OneRun {
public:
    OneRun(const Session& session, const RunPlan& plan, const ExecuteDoors& doors)
        : m_session(session),
          m_plan(plan),
          m_doors(doors),
          m_folder(session.folder_of(plan)),
          m_stages(stages_of(plan, session.facts().settings)),
          m_done(session.done_stages(plan)) {}

    std::size_t first() const { return m_done.size(); }
    const std::vector<Stage>& stages() const { return m_stages; }
    const RunPlan& plan() const { return m_plan; }
    const RunResult& result() const { return m_result; }
    const std::string& trouble() const { return m_trouble; }

    // Whether it goes on. `slots`: processes that it may run at once.
    Result<bool> run_stage(std::size_t index, int slots) {
        const Stage& stage = m_stages[index];
        if (index == 0) {
            MM_CHECK(prepare());
        }
        for (const std::string& made : stage.makes) {
            MM_CHECK(clear(m_folder / made));
        }
        StageRecord record{stage.name, m_doors.now(), 0, slots, 0};
        for (const StageCommand& command : stage.commands) {
            MM_TRY(const bool is_well, run_command(stage, command, record));
            if (!is_well) {
                return false;
            }
        }
        record.seconds = m_doors.now() - record.began;
        m_done.push_back(record);
        MM_CHECK(m_session.put_stage(m_plan, record));
        return index + 1 < m_stages.size() ? Result<bool>(true) : finish();
    }

    // All stages are done, and the result is not there: the process ended in between.
    Result<bool> finish() {
        m_result = blank();
        m_result.libraries = libraries_of(m_doors.disk, m_folder);
        m_result.stage = m_stages.back().name;
        m_result.log = m_stages.back().commands.back().log;
        if (const Status read = read_outcome(m_doors.disk, m_folder, m_plan, m_session.facts().settings, m_result);
            !read) {
            m_result.status = RunStatus::failed;
            m_result.detail = read.error().message;
        }
        MM_CHECK(m_session.put_result(m_plan, m_result));
        return false;
    }

    Status skip() {
        m_result = blank();
        m_result.status = RunStatus::skipped;
        m_result.detail = m_plan.skipped;
        return m_session.put_result(m_plan, m_result);
    }

private:
    RunResult blank() const {
        RunResult result;
        result.name = m_plan.name;
        result.values = m_plan.values;
        result.generator = m_plan.generator_version;
        result.stages = m_done;
        return result;
    }

    Status prepare() {
        MM_CHECK(clear(m_folder));
        MM_CHECK(m_doors.disk.make_folders(m_folder / "logs"));
        MM_CHECK(m_doors.disk.make_folders(m_folder / "inputs"));
        for (const std::string& name : {m_plan.model, m_plan.inputs, m_plan.expected}) {
            if (!name.empty()) {
                MM_CHECK(
                    m_doors.copy(m_session.folder() / "inputs" / m_plan.values[0] / name, m_folder / "inputs" / name));
            }
        }
        return m_doors.disk.write(m_folder / "repeat",
                                  repeat_script(m_plan, m_session.facts().settings, m_doors.program));
    }

    // Moved away first: compilers whose matrix was killed may outlive it for a while. They go on in their folder,
    // wherever that is by then, and not in the one that is made anew.
    Status clear(const fs::path& path) const {
        if (!m_doors.disk.exists(path)) {
            return {};
        }
        const fs::path trash = m_session.folder() / k_trash;
        MM_CHECK(m_doors.disk.make_folders(trash));
        fs::path to = trash / m_plan.name;
        for (int i = 1; m_doors.disk.exists(to); ++i) {
            to = trash / fmt::format("{}-{}", m_plan.name, i);
        }
        MM_CHECK(m_doors.disk.rename(path, to));
        static_cast<void>(m_doors.disk.remove(to));  // what cannot go now goes at the end
        return {};
    }

    ProcessRequest request_for(const StageCommand& command, const StageRecord& record) const {
        ProcessRequest request;
        request.argv = command.argv;
        if (request.argv.front() == k_self) {
            request.argv.front() = m_doors.program;
        }
        if (command.takes_jobs) {
            request.argv.insert(request.argv.end(), {"-j", std::to_string(record.slots)});
        }
        request.directory = m_folder;
        request.environment = command.environment;
        request.environment.emplace_back("METAMORPH_JOBS", std::to_string(record.slots));
        request.output_file = m_folder / (command.output.empty() ? command.log : command.output);
        request.error_file = m_folder / command.log;
        request.file_bytes_max = k_log_bytes_max;
        const auto total = static_cast<double>(m_session.facts().settings.stage_seconds);
        const double left = std::max(total - (m_doors.now() - record.began), 0.001);
        request.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(left * 1000.0) + 1);
        return request;
    }

    Result<bool> run_command(const Stage& stage, const StageCommand& command, StageRecord& record) {
        const Result<ProcessOutcome> ran = m_doors.runner.run(request_for(command, record));
        if (!ran) {
            if (ran.error().code != ErrorCode::toolchain) {
                m_trouble = ran.error().message;
                return false;
            }
            return end(stage, command, record, {RunStatus::failed, ran.error().message, ran.error().hint});
        }
        const ProcessOutcome& outcome = *ran;
        record.peak_memory_bytes = std::max(record.peak_memory_bytes, outcome.peak_memory_bytes);
        // Exit status 1 of verify and run: the work was done, and its result is wrong.
        const bool is_last = &command == &m_stages.back().commands.back();
        const bool is_verdict = is_last && outcome.end == ProcessOutcome::End::exited && outcome.status == 1 &&
                                !is_error(m_folder / command.output);
        if (outcome.succeeded() || is_verdict) {
            return true;
        }
        const Verdict verdict = verdict_of(m_doors.disk, m_folder, {stage, command, outcome});
        if (!verdict.status) {
            m_trouble = verdict.detail;
            return false;
        }
        return end(stage, command, record, verdict);
    }

    // The run has its result before its last stage.
    Result<bool> end(const Stage& stage, const StageCommand& command, StageRecord& record, const Verdict& verdict) {
        record.seconds = m_doors.now() - record.began;
        m_done.push_back(record);
        m_result = blank();
        m_result.libraries = libraries_of(m_doors.disk, m_folder);
        m_result.status = *verdict.status;
        m_result.detail = verdict.detail;
        m_result.hint = verdict.hint;
        m_result.stage = stage.name;
        m_result.log = stage.commands.size() == 1 && !command.output.empty() ? command.output : command.log;
        MM_CHECK(m_session.put_result(m_plan, m_result));
        return false;
    }

    bool is_error(const fs::path& path) const {
        const auto json = nlohmann::json::parse(m_doors.disk.read(path).value_or(""), nullptr, false);
        return !json.is_object() || json.contains("error");
    }

    const Session& m_session;
    const RunPlan& m_plan;
    const ExecuteDoors& m_doors;
    const fs::path m_folder;
    const std::vector<Stage> m_stages;
    std::vector<StageRecord> m_done;
    RunResult m_result;
    std::string m_trouble;
};

class Execution {
public:
    Execution(const Session& session, const PoolLimits& limits, const ExecuteDoors& doors)
        : m_session(session), m_limits(limits), m_doors(doors), m_queue(limits) {}

    Result<Executed> run() {
        for (const RunPlan& plan : m_session.plans()) {
            MM_CHECK(add(plan));
        }
        MM_CHECK(run_stages(m_queue, m_limits.slots,
                            [this](const StageQueue::Started& started) { return run_stage(started); }));
        static_cast<void>(m_doors.disk.remove(m_session.folder() / k_trash));
        Executed executed;
        for (const auto& run : m_runs) {
            if (!run->trouble().empty()) {
                executed.unfinished.push_back(run->plan().name);
                executed.why = executed.why.empty() ? run->trouble() : executed.why;
            }
        }
        return executed;
    }

private:
    Status add(const RunPlan& plan) {
        if (m_session.result_of(plan)) {
            return {};
        }
        auto run = std::make_unique<OneRun>(m_session, plan, m_doors);
        if (!plan.skipped.empty()) {
            MM_CHECK(run->skip());
            tell(Event::Kind::finished, *run, "");
            return {};
        }
        if (run->first() == run->stages().size()) {
            MM_TRY(const bool goes_on, run->finish());
            static_cast<void>(goes_on);
            tell(Event::Kind::finished, *run, "");
            return {};
        }
        std::vector<StageCost> costs;
        for (const Stage& stage : run->stages()) {
            costs.push_back(stage.cost);
        }
        m_queue.add(std::move(costs), run->first());
        m_runs.push_back(std::move(run));
        return {};
    }

    Result<bool> run_stage(const StageQueue::Started& started) {
        OneRun& run = *m_runs[started.run];
        const std::string& name = run.stages()[started.stage].name;
        tell(Event::Kind::began, run, name);
        MM_TRY(const bool goes_on, run.run_stage(started.stage, started.slots));
        tell(goes_on                 ? Event::Kind::stage_ended
             : run.trouble().empty() ? Event::Kind::finished
                                     : Event::Kind::unfinished,
             run, name);
        return goes_on;
    }

    void tell(Event::Kind kind, const OneRun& run, const std::string& stage) {
        const std::lock_guard lock(m_mutex);
        if (m_doors.tell) {
            m_doors.tell(
                {kind, run.plan(), stage, kind == Event::Kind::finished ? &run.result() : nullptr, run.trouble()});
        }
    }

    const Session& m_session;
    const PoolLimits m_limits;
    const ExecuteDoors& m_doors;
    StageQueue m_queue;
    std::vector<std::unique_ptr<OneRun>> m_runs;
    std::mutex m_mutex;
};

}  // namespace

Result<Executed> execute(const Session& session, const PoolLimits& limits, const ExecuteDoors& doors) {
    return Execution(session, limits, doors).run();
}

}  // namespace metamorph::matrix

#include "wiring_matrix.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build/command_runner.h"
#include "matrix/execute.h"
#include "matrix/report.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/terminal.h"
#include "wiring_matrix_plan.h"
#include "wiring_output.h"

namespace metamorph::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t k_key_digits = 8;
constexpr const char* k_sessions = "metamorph-sessions";
constexpr std::int64_t k_program_bytes_max = 1LL << 32;

double seconds_since_1970() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Result<fs::path> own_program() {
    std::error_code error;
    fs::path path = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        return fail(ErrorCode::system, "/proc/self/exe", "cannot be read: {}", error.message());
    }
    return path;
}

Result<std::string> hash_of(const fs::path& program) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(program, k_program_bytes_max));
    return sha256_hex(bytes);
}

// A hard link where that is possible: inputs are never written to.
Status copy_file_or_folder(const fs::path& from, const fs::path& to, bool links) {
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    const bool is_folder = fs::is_directory(from, error);
    if (links && !is_folder) {
        fs::create_hard_link(from, to, error);
        if (!error) {
            return {};
        }
    }
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error) {
        return fail(ErrorCode::system, from.string(), "cannot be copied to {}: {}", to.string(), error.message());
    }
    return {};
}

std::int64_t machine_mib() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? static_cast<std::int64_t>(pages) / 1024 * page / 1024 : 4096;
}

// Off a terminal a line a run as it ends; on one also what runs now.
class Display {
public:
    Display(const MatrixOptions& options, std::size_t total, std::size_t done)
        : m_is_wanted(!options.quiet && !options.json),
          m_terminal(probe_terminal(STDERR_FILENO)),
          m_total(total),
          m_done(done) {}

    void tell(const matrix::Event& event) {
        using Kind = matrix::Event::Kind;
        if (event.kind == Kind::began) {
            m_running[event.plan.name] = event.stage;
        } else {
            m_running.erase(event.plan.name);
        }
        if (!m_is_wanted) {
            return;
        }
        if (event.kind == Kind::finished || event.kind == Kind::unfinished) {
            ++m_done;
            clear();
            remark(line_of(event));
        }
        draw();
    }

    void clear() const {
        if (m_is_wanted && m_terminal.is_terminal) {
            std::fputs("\r\x1b[K", stderr);
        }
    }

private:
    std::string line_of(const matrix::Event& event) const {
        const std::string status = event.result != nullptr ? name_of(event.result->status) : "no result";
        const std::string& detail = event.result != nullptr ? event.result->detail : event.why;
        const bool is_good = event.result != nullptr && !event.result->is_bad();
        return fmt::format("[{}/{}] {}: {}{}{}", m_done, m_total, event.plan.name,
                           styled(m_terminal, is_good ? Style::green : Style::red, status), detail.empty() ? "" : ": ",
                           detail);
    }

    void draw() const {
        if (!m_terminal.is_terminal || m_running.empty()) {
            return;
        }
        std::string text = fmt::format("{}/{} done; running:", m_done, m_total);
        for (const auto& [run, stage] : m_running) {
            text += fmt::format(" {} {}", stage, run);
        }
        const auto width = static_cast<std::size_t>(std::max(m_terminal.width - 1, 20));
        std::fputs(("\r\x1b[K" + text.substr(0, width)).c_str(), stderr);
    }

    const bool m_is_wanted;
    const Terminal m_terminal;
    const std::size_t m_total;
    std::size_t m_done;
    std::map<std::string, std::string> m_running;
};

int list(const MatrixOptions& options, const PlannedMatrix& planned) {
    ordered_json json{{"schema", "metamorph-matrix-list-1"}, {"runs", ordered_json::array()}};
    std::string text;
    std::size_t possible = 0;
    std::map<std::string, bool> keys;  // → whether it is stored
    for (std::size_t i = 0; i < planned.runs.size(); ++i) {
        const matrix::RunPlan& plan = planned.runs[i].plan;
        ordered_json row{{"run", plan.name}, {"model_file", plan.model}, {"left_out", plan.skipped}};
        row["libraries"] = ordered_json::array();
        possible += plan.skipped.empty() ? 1 : 0;
        text += plan.name + (plan.skipped.empty() ? "" : "  left out: " + plan.skipped);
        for (const NeededLibrary& one : planned.libraries[i]) {
            if (!one.key.empty()) {
                keys[one.key] = one.is_stored;
            }
            row["libraries"].push_back(
                {{"name", one.name}, {"device", one.device}, {"key", one.key}, {"stored", one.is_stored}});
            text += fmt::format("{}{} {} of {}{}", &one == &planned.libraries[i].front() ? "  needs " : ", ", one.name,
                                one.key.substr(0, k_key_digits), one.device,
                                one.key.empty() ? " (its compiler refuses)"
                                : one.is_stored ? ""
                                                : " (to be built)");
        }
        json["runs"].push_back(std::move(row));
        text += "\n";
    }
    const auto stored = std::count_if(keys.begin(), keys.end(), [](const auto& key) { return key.second; });
    const std::string libraries = keys.empty() ? ""
                                               : fmt::format("; libraries: {} in the store, {} to be built", stored,
                                                             static_cast<std::ptrdiff_t>(keys.size()) - stored);
    if (options.json) {
        print(json);
    } else {
        print(text +
              (options.quiet ? "" : fmt::format("{} of {} are run{}\n", possible, planned.runs.size(), libraries)));
    }
    return 0;
}

Result<matrix::Session> open_or_create(const MatrixOptions& options, store::Disk& disk, const fs::path& program,
                                       std::int64_t& memory_mib) {
    MM_TRY(const std::string hash, hash_of(program));
    fs::path sessions = options.sessions;
    if (options.resumes) {
        sessions = sessions.empty() ? options.project.parent_path() / k_sessions : sessions;
        MM_TRY(matrix::Session session, matrix::Session::open(disk, fs::absolute(sessions), options.session, true));
        if (session.facts().program_sha256 != hash) {
            return fail_with_hint(ErrorCode::options, session.folder().string(),
                                  "this session was begun by another build of metamorph",
                                  "begin a new session: figures of two programs do not go together");
        }
        memory_mib = session.facts().memory_mib;
        return session;
    }
    MM_TRY(const PlannedMatrix planned, plan_matrix(options));
    sessions = sessions.empty() ? planned.project.folder / k_sessions : sessions;
    std::vector<matrix::NewRun> runs;
    for (std::size_t i = 0; i < planned.runs.size(); ++i) {
        if (planned.points[i].left_out.empty()) {
            runs.push_back(planned.runs[i]);
        }
    }
    const project::Project& p = planned.project;
    memory_mib = static_cast<std::int64_t>(p.limits.memory_mib);
    const matrix::SessionFacts facts{METAMORPH_VERSION,
                                     hash,
                                     seconds_since_1970(),
                                     memory_mib,
                                     {p.inferences, p.seed, p.depth, p.limits.stage_seconds, planned.frameworks}};
    return matrix::Session::create(
        disk, fs::absolute(sessions), facts, runs,
        [](const fs::path& from, const fs::path& to) { return copy_file_or_folder(from, to, false); });
}

Status forget_bad(const matrix::Session& session) {
    for (const matrix::RunPlan& plan : session.plans()) {
        if (const auto result = session.result_of(plan); result && result->is_bad()) {
            MM_CHECK(session.forget(plan));
        }
    }
    return {};
}

int status_of(const matrix::Results& results) {
    const bool is_bad = std::any_of(results.runs.begin(), results.runs.end(), [](const auto& r) { return r.is_bad(); });
    const bool is_any = std::any_of(results.runs.begin(), results.runs.end(),
                                    [](const auto& r) { return r.status == matrix::RunStatus::right; });
    return is_bad || !is_any ? static_cast<int>(ErrorCode::check_failed) : 0;
}

Result<int> show(const MatrixOptions& options, const matrix::Session& session) {
    const matrix::Results results = matrix::results_of(session);
    MM_TRY(const matrix::Table table, matrix::make_table(results.runs, {}));
    if (options.json) {
        print(matrix::report_json(session, results, table));
    } else {
        print(matrix::text_of(table));
        if (!options.quiet) {
            print(fmt::format("session {}: {}\n", session.number(), matrix::summary_of(results)));
        }
    }
    return status_of(results);
}

}  // namespace

Result<int> run_init(const InitOptions& options) {
    const fs::path file = options.folder / "metamorph.toml";
    std::error_code error;
    if (fs::exists(fs::symlink_status(file, error))) {
        return fail_with_hint(ErrorCode::options, file.string(), "there is a project file already",
                              "it is never overwritten: change it, or move it away");
    }
    std::vector<std::string> models;
    for (fs::directory_iterator entries(options.folder, error); !error && entries != fs::directory_iterator();
         entries.increment(error)) {
        if (entries->path().extension() == ".tflite") {
            models.push_back(entries->path().filename().string());
        }
    }
    std::sort(models.begin(), models.end());
    MM_CHECK(write_file_if_changed(file, project::project_template(models)));
    if (options.json) {
        print(ordered_json{{"schema", "metamorph-init-1"}, {"file", file.string()}, {"models", models}});
    } else if (!options.quiet) {
        print(fmt::format("{}: {} network{} found; 'metamorph matrix --list' shows the runs\n", file.string(),
                          models.size(), models.size() == 1 ? "" : "s"));
    }
    return 0;
}

Result<int> run_matrix(const MatrixOptions& options) {
    if (options.is_list) {
        MM_TRY(const PlannedMatrix planned, plan_matrix(options));
        return list(options, planned);
    }
    const std::unique_ptr<store::Disk> disk = store::make_real_disk();
    build::ProcessRunner runner;
    std::int64_t memory_mib = 0;
    MM_TRY(const fs::path program, own_program());
    MM_TRY(const matrix::Session session, open_or_create(options, *disk, program, memory_mib));
    if (options.retries) {
        MM_CHECK(forget_bad(session));
    }
    const double offset = std::max(seconds_since_1970() - session.facts().created, 0.0);
    const auto began = std::chrono::steady_clock::now();
    const std::size_t done = matrix::results_of(session).runs.size();
    Display display(options, session.plans().size(), done);
    const matrix::ExecuteDoors doors{
        runner,
        *disk,
        [&] { return offset + std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); },
        [](const fs::path& from, const fs::path& to) { return copy_file_or_folder(from, to, true); },
        [&](const matrix::Event& event) { display.tell(event); },
        program.string()};
    const matrix::PoolLimits limits{options.jobs, memory_mib > 0 ? memory_mib : machine_mib() * 3 / 4};
    const Result<matrix::Executed> executed = matrix::execute(session, limits, doors);
    display.clear();
    const std::string hint = fmt::format("then go on with: metamorph matrix --resume --session {}", session.number());
    if (!executed) {
        Error error = executed.error();
        error.hint = error.hint.empty() ? hint : error.hint + "; " + hint;
        return tl::unexpected<Error>(error);
    }
    if (!executed->unfinished.empty()) {
        return fail_with_hint(ErrorCode::system, session.folder().string(),
                              fmt::format("{} runs have no result: {}", executed->unfinished.size(), executed->why),
                              "see to that, " + hint);
    }
    return show(options, session);
}

}  // namespace metamorph::cli

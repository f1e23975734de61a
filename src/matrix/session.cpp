#include "matrix/session.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "util/text.h"

namespace metamorph::matrix {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr int k_number_max = 999'999;
constexpr const char* k_session_file = "session.json";
constexpr const char* k_boot_file = "/proc/sys/kernel/random/boot_id";

std::string name_of_number(int number) {
    return fmt::format("{:04}", number);
}

std::optional<int> number_in(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > k_number_max) {
        return {};
    }
    return number;
}

Status put(store::Disk& disk, const fs::path& folder, const std::string& name, const std::string& text) {
    const fs::path aside = folder / "new";
    MM_CHECK(disk.make_folders(aside));
    MM_CHECK(disk.write(aside / name, text));
    MM_CHECK(disk.sync_tree(aside));
    MM_CHECK(disk.remove(folder / name));
    MM_CHECK(disk.rename(aside / name, folder / name));
    MM_CHECK(disk.sync_folder(folder));
    return disk.remove(aside);
}

std::string print(const ordered_json& json) {
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json json_of(const SessionFacts& facts) {
    const RunSettings& s = facts.settings;
    return {{"schema", "metamorph-session-1"},
            {"version", facts.version},
            {"program_sha256", facts.program_sha256},
            {"created", facts.created},
            {"memory_mib", facts.memory_mib},
            {"inferences", s.inferences},
            {"seed", s.seed},
            {"depth", s.depth},
            {"stage_seconds", s.stage_seconds},
            {"frameworks", s.frameworks},
            {"runs", ordered_json::array()}};
}

SessionFacts facts_of(const ordered_json& json) {
    SessionFacts facts;
    facts.version = json.at("version");
    facts.program_sha256 = json.at("program_sha256");
    facts.created = json.at("created");
    facts.memory_mib = json.at("memory_mib");
    facts.settings = {json.at("inferences"), json.at("seed"), json.at("depth"), json.at("stage_seconds"),
                      json.at("frameworks")};
    return facts;
}

Result<int> take_number(store::Disk& disk, const fs::path& sessions) {
    MM_CHECK(disk.make_folders(sessions));
    MM_TRY(const auto lock, disk.lock(sessions / "lock", {}));
    MM_TRY(const std::vector<std::string> names, disk.list(sessions));
    int last = 0;
    for (const std::string& name : names) {
        last = std::max(last, number_in(name).value_or(0));
    }
    if (last >= k_number_max) {
        return fail_with_hint(ErrorCode::options, sessions.string(), "no number is left for a session",
                              "remove old ones");
    }
    MM_CHECK(disk.make_folders(sessions / name_of_number(last + 1)));
    return last + 1;
}

// Each file once, to inputs/MODEL/NAME.
Status copy_inputs(const fs::path& folder, const std::vector<NewRun>& runs, const Copy& copy) {
    std::map<fs::path, fs::path> copied;  // to → from
    for (const NewRun& run : runs) {
        for (const fs::path& source : run.sources) {
            const fs::path to = folder / "inputs" / run.plan.values[0] / source.filename();
            const auto [at, is_new] = copied.emplace(to, source);
            if (!is_new && at->second != source) {
                return fail_with_hint(ErrorCode::options, source.string(),
                                      fmt::format("{} has the same name, and both belong to the model {}",
                                                  at->second.string(), run.plan.values[0]),
                                      "rename one of them");
            }
            if (is_new) {
                MM_CHECK(copy(source, to));
            }
        }
    }
    return {};
}

}  // namespace

Result<std::vector<int>> session_numbers(store::Disk& disk, const fs::path& sessions) {
    MM_TRY(const std::vector<std::string> names, disk.list(sessions));
    std::vector<int> numbers;
    for (const std::string& name : names) {
        if (const auto number = number_in(name); number && disk.exists(sessions / name / k_session_file)) {
            numbers.push_back(*number);
        }
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

Result<Session> Session::create(store::Disk& disk, const fs::path& sessions, const SessionFacts& facts,
                                const std::vector<NewRun>& runs, const Copy& copy) {
    MM_TRY(const int number, take_number(disk, sessions));
    Session session(disk, sessions / name_of_number(number), number);
    session.m_facts = facts;
    MM_CHECK(session.take_lock());
    MM_CHECK(copy_inputs(session.m_folder, runs, copy));
    ordered_json json = json_of(facts);
    for (const NewRun& run : runs) {
        json["runs"].push_back(matrix::json_of(run.plan));
        session.m_plans.push_back(run.plan);
    }
    MM_CHECK(put(disk, session.m_folder, k_session_file, print(json)));
    return session;
}

Result<Session> Session::open(store::Disk& disk, const fs::path& sessions, const std::string& which, bool locks) {
    MM_TRY(const std::vector<int> numbers, session_numbers(disk, sessions));
    const std::optional<int> number = which != "latest" ? number_in(which)
                                      : numbers.empty() ? std::nullopt
                                                        : std::optional(numbers.back());
    if (!number || std::find(numbers.begin(), numbers.end(), *number) == numbers.end()) {
        return fail_with_hint(
            ErrorCode::options, sessions.string(),
            which == "latest" ? "there is no session yet" : fmt::format("there is no session '{}'", printable(which)),
            numbers.empty() ? "'metamorph matrix' makes one; --sessions DIR says where they are"
                            : fmt::format("there are sessions {} to {}", numbers.front(), numbers.back()));
    }
    Session session(disk, sessions / name_of_number(*number), *number);
    if (locks) {
        MM_CHECK(session.take_lock());
    }
    MM_CHECK(session.read());
    return session;
}

Status Session::take_lock() {
    MM_TRY(m_lock, m_disk->lock(m_folder / "lock", {false, false, false}));
    if (!m_lock) {
        return fail_with_hint(ErrorCode::options, m_folder.string(),
                              fmt::format("another process works on session {}", m_number),
                              "wait for it, or begin a new session");
    }
    return {};
}

Status Session::read() {
    const fs::path path = m_folder / k_session_file;
    MM_TRY(const std::string text, m_disk->read(path));
    try {
        const ordered_json json = ordered_json::parse(text);
        m_facts = facts_of(json);
        for (const ordered_json& run : json.at("runs")) {
            m_plans.push_back(plan_of(run));
        }
    } catch (const nlohmann::json::exception& thrown) {
        return fail(ErrorCode::system, path.string(), "this is no session: {}", thrown.what());
    }
    return {};
}

// Which start of the machine this is; empty where nobody tells.
std::string Session::boot() const {
    return m_disk->exists(k_boot_file) ? m_disk->read(k_boot_file).value_or("") : "";
}

std::vector<StageRecord> Session::done_stages(const RunPlan& plan) const {
    std::vector<StageRecord> done;
    for (const Stage& stage : stages_of(plan, m_facts.settings)) {
        const fs::path path = folder_of(plan) / "stages" / (stage.name + ".json");
        const auto text = m_disk->exists(path) ? m_disk->read(path) : Result<std::string>("");
        const ordered_json json = ordered_json::parse(text.value_or(""), nullptr, false);
        try {
            if (json.at("boot") != boot()) {
                break;
            }
            done.push_back(stage_of(json));
        } catch (const nlohmann::json::exception&) {
            break;  // it is not there, or damaged: it is done again, and so is all behind it
        }
    }
    return done;
}

std::optional<RunResult> Session::result_of(const RunPlan& plan) const {
    const fs::path path = folder_of(plan) / "result.json";
    const auto text = m_disk->exists(path) ? m_disk->read(path) : Result<std::string>("");
    const auto result = read_run_result(text.value_or(""), path.string());
    return result ? std::optional(*result) : std::nullopt;
}

Status Session::put_stage(const RunPlan& plan, const StageRecord& stage) const {
    ordered_json json = matrix::json_of(stage);
    json["boot"] = boot();
    return put(*m_disk, folder_of(plan) / "stages", stage.name + ".json", print(json));
}

Status Session::put_result(const RunPlan& plan, const RunResult& result) const {
    return put(*m_disk, folder_of(plan), "result.json", print(matrix::json_of(result)));
}

Status Session::forget(const RunPlan& plan) const {
    MM_CHECK(m_disk->remove(folder_of(plan) / "result.json"));
    return m_disk->remove(folder_of(plan) / "stages");
}

}  // namespace metamorph::matrix

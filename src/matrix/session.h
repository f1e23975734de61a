// A session: a numbered folder with all that one `metamorph matrix` does, and keeps.
//
//   SESSIONS/lock                     held while a number is being given
//   SESSIONS/0007/lock                held by the process that works on it
//   SESSIONS/0007/session.json        what is to be done; put last, so without it there is no session
//   SESSIONS/0007/inputs/MODEL/…      models and inputs, as they were then
//   SESSIONS/0007/runs/RUN/stages/…   a file a stage that is done
//   SESSIONS/0007/runs/RUN/result.json
//
// What is put is complete or not there (written aside, made durable, renamed). So whatever ends a process, and
// whenever, what is there is true, and going on means to do what is not there. What stages made (C, firmware, logs) is
// not made durable: stages of before a reboot are done again where the run has no result. Locks are the kernel's: none
// is ever stale. Rejected: a journal of events (a result would be in two places), SQLite (one more dependency, no file
// to look into).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matrix/run_plan.h"
#include "matrix/run_result.h"
#include "store/disk.h"
#include "util/result.h"

namespace metamorph::matrix {

struct NewRun {
    RunPlan plan;
    std::vector<std::filesystem::path> sources;  // absolute: of what the plan's `inputs` folder holds
};

struct SessionFacts {
    std::string version, program_sha256;  // of metamorph: figures of two programs are never mixed
    double created = 0;                   // seconds since 1970: what stages' times begin at
    std::int64_t memory_mib = 0;          // limits.memory_mib of the project; 0: by the machine
    RunSettings settings;
};

// Copies a file or a folder.
using Copy = std::function<Status(const std::filesystem::path& from, const std::filesystem::path& to)>;

class Session {
public:
    // A new one with the next free number. Errors: system; options (two files of one model have one name).
    static Result<Session> create(store::Disk& disk, const std::filesystem::path& sessions, const SessionFacts& facts,
                                  const std::vector<NewRun>& runs, const Copy& copy);

    // An existing one: "latest", or its number. With `locks` no other process may work on it. Errors: options (there is
    // none; another process works on it), system.
    static Result<Session> open(store::Disk& disk, const std::filesystem::path& sessions, const std::string& which,
                                bool locks);

    int number() const { return m_number; }
    const std::filesystem::path& folder() const { return m_folder; }
    const SessionFacts& facts() const { return m_facts; }
    const std::vector<RunPlan>& plans() const { return m_plans; }
    std::filesystem::path folder_of(const RunPlan& plan) const { return m_folder / "runs" / plan.name; }

    // Of a run: stages that are done since the machine was started, in order, from the first on; its result. What
    // cannot be read is not there.
    std::vector<StageRecord> done_stages(const RunPlan& plan) const;
    std::optional<RunResult> result_of(const RunPlan& plan) const;
    // Where nothing is put yet. May be called from several threads for different runs. Errors: system.
    Status put_stage(const RunPlan& plan, const StageRecord& stage) const;
    Status put_result(const RunPlan& plan, const RunResult& result) const;
    // As if the run had never been begun; its inputs and logs stay until they are made anew.
    Status forget(const RunPlan& plan) const;

private:
    Session(store::Disk& disk, std::filesystem::path folder, int number)
        : m_disk(&disk), m_folder(std::move(folder)), m_number(number) {}
    Status take_lock();
    std::string boot() const;
    Status read();

    store::Disk* m_disk;  // not owned
    std::filesystem::path m_folder;
    int m_number = 0;
    SessionFacts m_facts;
    std::vector<RunPlan> m_plans;
    std::unique_ptr<store::Lock> m_lock;
};

// Numbers of the sessions of a folder, ascending.
Result<std::vector<int>> session_numbers(store::Disk& disk, const std::filesystem::path& sessions);

}  // namespace metamorph::matrix

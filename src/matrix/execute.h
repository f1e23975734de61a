// Does the runs of a session: what is done already is not done again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "build/command_runner.h"
#include "matrix/session.h"
#include "matrix/stage_queue.h"

namespace metamorph::matrix {

struct Event {
    enum class Kind { began, stage_ended, finished, unfinished } kind = Kind::began;
    const RunPlan& plan;
    std::string stage;        // that begins or ended
    const RunResult* result;  // of finished
    std::string why;          // of unfinished
};

struct ExecuteDoors {
    build::CommandRunner& runner;
    store::Disk& disk;
    std::function<double()> now;             // seconds since the session was created
    Copy copy;                               // a link will do
    std::function<void(const Event&)> tell;  // one call at a time; may be empty
    std::string program;                     // path of metamorph
};

struct Executed {
    std::vector<std::string> unfinished;  // runs without a result: the machine's trouble, not theirs
    std::string why;                      // of the first of them
};

// Every run that can have a result has one then. Errors: system (results cannot be written: disk full).
Result<Executed> execute(const Session& session, const PoolLimits& limits, const ExecuteDoors& doors);

}  // namespace metamorph::matrix

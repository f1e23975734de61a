// From what a run's commands left behind to its result. Pure, but for the disk that it reads from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "matrix/run_plan.h"
#include "matrix/run_result.h"
#include "store/disk.h"
#include "util/process.h"

namespace metamorph::matrix {

struct CommandEnd {
    const Stage& stage;
    const StageCommand& command;
    const ProcessOutcome& outcome;
};

// How a command that did not go well has ended the run. Nothing: it says nothing of the run, and is to be done again
// (disk full, no memory, a signal from outside); `why` then tells.
struct Verdict {
    std::optional<RunStatus> status;
    std::string detail, hint;
};
Verdict verdict_of(store::Disk& disk, const std::filesystem::path& folder, const CommandEnd& end);

// What `metamorph weave` says that it took from the store; none where it did not get that far.
std::vector<LibraryUse> libraries_of(store::Disk& disk, const std::filesystem::path& folder);

// Fills figures, outputs, hashes and the status of a run all of whose stages have ended. Errors: system (a file is not
// there, or is not as expected).
Status read_outcome(store::Disk& disk, const std::filesystem::path& folder, const RunPlan& plan,
                    const RunSettings& settings, RunResult& result);

}  // namespace metamorph::matrix

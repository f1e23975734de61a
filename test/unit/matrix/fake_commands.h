// The commands of a run without programs: each writes, to a disk of FakeWorld, what the real one would leave behind.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "build/command_runner.h"
#include "matrix/execute.h"
#include "store/disk.h"

namespace metamorph::matrix {

class FakeRunner : public build::CommandRunner {
public:
    explicit FakeRunner(store::Disk& disk) : m_disk(disk) {}

    std::optional<std::filesystem::path> find(const std::string& name) override { return name; }
    Result<ProcessOutcome> run(const ProcessRequest& request) override;

    // By a part of the run's folder and the stage ("weave", "build", "verify"): how it ends instead of well.
    struct End {
        ProcessOutcome outcome;
        std::string text;  // of its output file
    };
    std::map<std::pair<std::string, std::string>, End> ends;
    std::vector<std::string> ran;  // "RUN STAGE", in order

private:
    store::Disk& m_disk;
};

// Runs of the model "a" by native on cortex-m4-spi, one a split.
std::vector<NewRun> sample_runs(const std::vector<std::string>& splits);

// What `metamorph verify --json` says, as far as it is read.
std::string verify_json(bool is_right, const std::string& failure_kind = "");

ExecuteDoors doors_for(FakeRunner& runner, store::Disk& disk);
ProcessOutcome exited(int status);

}  // namespace metamorph::matrix

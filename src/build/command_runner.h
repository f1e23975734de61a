// The door through which this folder reaches other programs, so that finding compilers and driving them is tested with
// fakes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "util/process.h"
#include "util/result.h"

namespace metamorph::build {

class CommandRunner {
public:
    virtual ~CommandRunner() = default;
    // As find_program and run_process of util/process.h. May be called from several threads.
    virtual std::optional<std::filesystem::path> find(const std::string& name) = 0;
    virtual Result<ProcessOutcome> run(const ProcessRequest& request) = 0;
};

class ProcessRunner : public CommandRunner {
public:
    std::optional<std::filesystem::path> find(const std::string& name) override { return find_program(name); }
    Result<ProcessOutcome> run(const ProcessRequest& request) override { return run_process(request); }
};

}  // namespace metamorph::build

// A compiler whose every answer is a member, and whose programs are files in a folder: "compiling" copies what it was
// told and the source into the object.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>

#include "build/command_runner.h"

namespace metamorph::libraries {

class FakeToolchain : public build::CommandRunner {
public:
    explicit FakeToolchain(std::filesystem::path folder);  // makes bin/, lib/ and include/ in it

    std::optional<std::filesystem::path> find(const std::string& name) override;
    Result<ProcessOutcome> run(const ProcessRequest& request) override;

    std::map<std::string, std::string> answers;  // "-dumpmachine" → "fake-elf\n"
    std::atomic<int> compilations = 0, scans = 0;
    std::filesystem::path folder;

private:
    ProcessOutcome compile(const ProcessRequest& request);
    ProcessOutcome archive(const ProcessRequest& request);
};

}  // namespace metamorph::libraries

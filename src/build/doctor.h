// What is installed of the tools that Metamorph runs, what is missing, and the command that installs it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/command_runner.h"

namespace metamorph::build {

struct ToolReport {
    std::string name, purpose, package;
    bool is_core = false;  // `metamorph run` does not work without it
    bool found = false;
    std::string version;  // empty where the tool has none
    std::string path;     // empty where it was not found
};

struct Diagnosis {
    std::vector<ToolReport> tools;
    bool core_complete() const;
    std::vector<std::string> missing_packages() const;  // distinct, core ones first
    std::string install() const;                        // the command; empty where nothing is missing
};

Diagnosis diagnose(CommandRunner& runner);

std::string print(const Diagnosis& diagnosis, bool only_missing);
std::string to_json(const Diagnosis& diagnosis);  // schema: docs/command-line.md

}  // namespace metamorph::build

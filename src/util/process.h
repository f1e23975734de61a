// Runs other programs: argv, never a shell. A child has a process group of its own; whatever way it ends, its whole
// group is killed and it is waited for, so that neither zombies nor stray grandchildren stay behind. A child dies with
// us, too (parent-death signal), and Ctrl-C reaches all children where clean_up_on_interrupt() was called.
//
// Standard output and error are captured in anonymous files, not in pipes: a child never blocks on us, there is no loop
// that could deadlock, and waiting is one poll. Rejected: pipes (a grandchild that holds them keeps the reader
// waiting), posix_spawn (knows no limits and no parent-death signal).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "util/result.h"

namespace metamorph {

struct ProcessRequest {
    std::vector<std::string> argv;                                 // argv[0]: a path, or a name to be found in PATH
    std::filesystem::path directory;                               // to work in; empty: ours
    std::vector<std::pair<std::string, std::string>> environment;  // set besides our own variables
    bool inherits_environment = true;                              // false: without our own variables
    std::string input;                                             // on standard input; empty: none
    std::filesystem::path input_file;                              // instead of `input`
    std::filesystem::path output_file, error_file;                 // instead of capturing; both may be the same file
    std::chrono::milliseconds timeout{0};                          // 0: none
    std::int64_t memory_bytes_max = 0;                             // of address space (RLIMIT_AS); 0: unlimited
    std::int64_t file_bytes_max = 1LL << 30;                       // of each file it writes, captured output included
};

struct ProcessOutcome {
    enum class End { exited, signalled, timed_out } end = End::exited;
    int status = 0;              // exit status, where it exited
    int signal = 0;              // where a signal ended it; SIGKILL after a time-out
    std::string output, errors;  // what was captured
    double seconds = 0;          // from start to end
    std::int64_t peak_memory_bytes = 0;

    bool succeeded() const { return end == End::exited && status == 0; }
    std::string print() const;  // "exit status 3", "signal 11 (Segmentation fault)", "timed out"
};

// Runs a program to its end. A program that fails is an outcome, not an error. Errors: toolchain (there is no such
// program, or it cannot be executed), system (no process, no file, no such folder).
Result<ProcessOutcome> run_process(const ProcessRequest& request);

// The path of a program: `name` itself if it has a slash, else the first executable of this name in PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace metamorph

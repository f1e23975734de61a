// The result of `metamorph verify`, and how it is shown: as text for a terminal, as JSON for programs
// (docs/command-line.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace metamorph::report {

struct Executed {
    std::uint64_t instructions = 0, loads = 0, stores = 0, nvm_bytes_read = 0, nvm_bytes_written = 0;
    std::uint64_t bus_bytes = 0;                           // shifted to and from an SPI chip
    double cycles = 0, microseconds = 0, microjoules = 0;  // on the device (docs/cycles.md)
    double seconds = 0;                                    // in the emulator
};

struct ExecutedPart {
    std::string name;
    Executed executed;
};

// Of one program on a board, in bytes.
struct MemoryUse {
    std::uint64_t code = 0, constants = 0;  // of flash
    std::uint64_t variables = 0;            // of SRAM
    std::uint64_t stack = 0;                // of SRAM: down to the deepest byte that the uninterrupted run wrote
};

struct VerifyFailure {
    std::string kind;     // the cause, where what was seen shows it; else the symptom
    std::string symptom;  // what was observed
    std::string id, task, what, where;
};

struct VerifiedDevice {
    std::string device, core, nvm, toolchain;
    std::string split;
    std::vector<std::string> tasks;
    std::string sizes;                                                        // as the build printed them
    std::int64_t nvm_bytes = 0, crossing_bytes = 0, commit_record_bytes = 0;  // crossing and records: an inference
    Executed plain, woven;            // uninterrupted, all inferences, with the start
    Executed plain_each, woven_each;  // one inference more
    MemoryUse plain_memory, woven_memory;
    std::uint64_t clock_hz = 0;
    std::vector<ExecutedPart> by_function;         // of woven_each, most cycles first
    std::vector<ExecutedPart> by_task;             // of one inference behind the first ones, in order
    std::vector<std::uint64_t> task_instructions;  // of the first inference, from the commit before to its own
    std::vector<std::string> outputs;  // of the plain program, in the order of handing over: what all is compared with
    bool is_equal_uninterrupted = false;

    std::string method;          // "graph", "depth 1", "one by one"; "uninterrupted": no power was cut
    bool is_exhaustive = false;  // all that the method asks for was looked at
    std::uint64_t units = 0;     // write units of the recorded run
    std::uint64_t significant_units = 0, torn_states = 0, states = 0, boots = 0, passes = 0;  // of the graph
    std::uint64_t boot_instructions = 0;                                                      // really run
    std::uint64_t places = 0, cuts = 0;                                                       // one by one
    double recording_seconds = 0, search_seconds = 0, build_seconds = 0;
    int emulator_restarts = 0;
    std::vector<VerifyFailure> failures;
    std::vector<std::string> lives;  // of a replay, a line each

    // Of an inference, so without the start and the first boot.
    double instruction_ratio() const;  // woven over plain
    double write_ratio() const;        // NVM bytes written over (crossing bytes + commit records): 1 is the least
    bool is_right() const { return is_equal_uninterrupted && failures.empty() && is_exhaustive; }
};

struct VerifyResult {
    std::string model_file, model_sha256, inputs;
    int inferences = 1;
    std::vector<VerifiedDevice> devices;
    std::string explanation;
    std::vector<std::string> notes, generator_notes;  // as of RunResult

    bool is_right() const;
};

std::string text_of(const VerifyResult& result);
nlohmann::ordered_json json_of(const VerifyResult& result);    // "metamorph-verify-1"
nlohmann::ordered_json json_of(const VerifiedDevice& device);  // an element of its devices[]

}  // namespace metamorph::report

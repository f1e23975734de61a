// What came out of one run, and its form on disk (result.json in the run's folder).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "project/project.h"
#include "util/result.h"

namespace metamorph::matrix {

enum class RunStatus {
    right,            // on a device: proven; on the host: right after every cut that was tried
    diverged,         // an output, or what is in NVM, differs from the plain program's, without or with cuts
    no_progress,      // a task never ends, however often the power comes back
    does_not_fit,     // the device's memories, by how much
    build_failed,     // the C does not compile or link
    generate_failed,  // the generator failed
    refused,          // the model, its C or the split is not supported
    timed_out,
    unexpected,  // the outputs without a cut are not those that the project expects
    failed,      // anything else: a crash of ours, say
    skipped      // not possible here: a generator is not installed …
};
const char* name_of(RunStatus status);  // "Right", "Diverged", "NoProgress" …: as reports show it
std::optional<RunStatus> status_named(std::string_view name);

struct StageRecord {
    std::string name;
    double began = 0, seconds = 0;  // since the session began
    int slots = 1;
    std::int64_t peak_memory_bytes = 0;  // of its largest process
};

// A runtime library that a run took.
struct LibraryUse {
    std::string name, key;
    std::string outcome;  // "hit", "built", "waited"
    double seconds = 0;
    std::string nearest;                   // of one that was built: the key of the stored one that is most like it
    std::vector<std::string> differences;  // fields of the key that differ from that
};

// Outputs without a cut beside the expected ones, inferences together.
struct OutputCheck {
    bool is_exact = false, is_within_tolerance = false;
    double greatest = 0;                  // difference of two values
    int same_answer = 0, inferences = 0;  // those whose greatest output has the same index
};

struct RunResult {
    std::string name;
    project::PerAxis values;
    RunStatus status = RunStatus::failed;
    std::string detail;                     // one line: by how much, the first error, why it was skipped
    std::string hint;                       // what to do; may be empty
    std::string stage;                      // where it ended; empty where nothing was begun
    std::string log;                        // of that stage, from the run's folder; may be empty
    std::string generator;                  // with its version, where it is known
    std::map<std::string, double> figures;  // columns of rows.h
    std::optional<OutputCheck> output;
    std::vector<LibraryUse> libraries;
    std::string elf_sha256;
    std::vector<StageRecord> stages;

    bool is_bad() const { return status != RunStatus::right && status != RunStatus::skipped; }
    const std::string& at(project::Axis axis) const { return values[static_cast<std::size_t>(axis)]; }
};

nlohmann::ordered_json json_of(const RunResult& result);  // "metamorph-run-result-1"
Result<RunResult> read_run_result(const std::string& text, const std::string& where);

nlohmann::ordered_json json_of(const StageRecord& stage);
StageRecord stage_of(const nlohmann::ordered_json& json);  // throws what nlohmann throws

}  // namespace metamorph::matrix

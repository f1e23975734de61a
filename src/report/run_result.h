// The result of `metamorph run`, and how it is shown: as text for a terminal, as JSON for programs
// (docs/command-line.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace metamorph::report {

struct CutFailure {
    std::string id;  // "cut:17" or "cut:17+3": what --replay takes
    std::string kind, task, detail;
};

struct CutSummary {
    std::uint64_t units_total = 0;   // NVM write units of the uninterrupted life: that many places to cut
    std::uint64_t cuts_planned = 0;  // tried are fewer where the time was over
    std::uint64_t cuts_first = 0;    // of them, at commit records, tallies and the first boot: tried before all others
    std::uint64_t cuts_tried = 0, second_cuts_tried = 0;
    std::uint64_t wrong_count = 0;
    std::uint64_t reboots = 0, tasks_run_again = 0, recoveries_ended_early = 0;
    double seconds = 0;
    std::vector<CutFailure> failures;  // the first of them
};

struct WovenResult {
    std::string mode;  // "mapped" or "bus"
    std::string split;
    std::vector<std::string> slices;  // as given to --slice
    std::vector<std::string> tasks;
    std::int64_t nvm_bytes = 0;
    std::int64_t crossing_bytes = 0;       // an inference: bytes that cross task boundaries, each value once
    std::int64_t commit_record_bytes = 0;  // an inference
    std::int64_t nvm_bytes_written_per_inference = 0;  // as counted in the uninterrupted run, commit records included
    bool is_equal_uninterrupted = false;               // without a cut, the woven program equals the oracle
    std::optional<CutSummary> cuts;                    // nothing: not asked for

    // NVM bytes written over (crossing bytes + commit records): 1 is the least.
    double write_ratio() const;
    bool is_right() const { return is_equal_uninterrupted && (!cuts || cuts->wrong_count == 0); }
};

struct Accuracy {
    std::uint32_t images = 0, right = 0;
    std::string drawing;  // of one image, for a terminal
    int shown_label = -1, shown_answer = -1;
    std::uint32_t shown_index = 0;
};

struct RunResult {
    std::string model_file, model_sha256;
    int inferences = 1;
    std::uint64_t seed = 0;
    std::string inputs;  // where they came from: "seed 1", "inputs.bin", "digits_heldout.bin"
    std::vector<WovenResult> woven;
    std::optional<Accuracy> accuracy;
    std::string explanation;  // --explain
    // What the user should know of code that was adopted, and what its generator said, which a terminal has shown.
    std::vector<std::string> notes, generator_notes;

    bool is_right() const;
};

std::string text_of(const RunResult& result);
nlohmann::ordered_json json_of(const RunResult& result);

}  // namespace metamorph::report

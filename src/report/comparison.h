// The result of `metamorph compare`, and how it is shown: as a table for a terminal, as JSON for programs
// (docs/command-line.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/verify_result.h"

namespace metamorph::report {

// How far the outputs of a generator's code are from those of the reference, over all inferences.
struct OutputDifference {
    std::string reference;           // "native, digits_int8.tflite": whose outputs these are compared with
    bool is_exact = false;           // the same bytes
    std::optional<double> greatest;  // of real values (quantised ones by scale and zero point); nothing: their numbers
                                     // differ, or one is not finite
    int same_answer = 0;             // inferences whose greatest output has the same index
};

struct ComparedGenerator {
    std::string name;         // as asked for
    std::string generator;    // with version; empty where it did not run
    std::string model;        // file name of the model that it took
    std::string problem;      // why there are no figures: one line; empty where there are
    bool is_skipped = false;  // the problem is that it is not installed, or that it was given no model that it takes
    std::optional<VerifiedDevice> measured;
    std::optional<OutputDifference> difference;  // nothing: it is the reference
    std::optional<int> right;                    // of the data set's images
    std::vector<std::string> notes;

    // The woven program equals the plain one and, where that was asked for, is proven.
    bool is_right(bool is_proof_wanted) const;
};

struct Comparison {
    std::string device, toolchain, split, inputs;
    int inferences = 1;
    bool is_proof_wanted = false;
    std::vector<ComparedGenerator> rows;  // in the order asked for

    bool is_right() const;  // of the rows that have figures, and one at least has
};

std::string text_of(const Comparison& comparison);
nlohmann::ordered_json json_of(const Comparison& comparison);  // "metamorph-compare-1"

}  // namespace metamorph::report

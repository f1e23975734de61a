// `metamorph compare`: the code of several generators for one network, on one device, side by side.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/device.h"
#include "report/comparison.h"
#include "tasks/partition.h"
#include "util/result.h"

namespace metamorph::pipeline {

struct CompareRequest {
    struct Candidate {
        std::string generator;                                     // "native", or of a framework
        std::vector<std::pair<std::string, std::string>> options;  // of the framework's
    };
    // One network in one format or several. Each generator takes the first of them that it can use. An int8 .tflite
    // among them says how inputs and outputs are quantised; without one all inputs are float32.
    std::vector<std::filesystem::path> models;
    std::vector<Candidate> candidates;
    app::Device device;     // not this host
    std::string toolchain;  // empty: the device's first
    tasks::Split split;
    int inferences = 1;
    std::filesystem::path dataset;  // labelled inputs; empty: random ones by seed
    std::uint64_t seed = 1;
    bool proves = false;  // all cuts of each, as verify does
    int jobs = 1;
    std::filesystem::path keep;  // folder for projects and builds; empty: a scratch folder
    // (what, done, total; 0: unknown), a few times a second; may be empty
    std::function<void(const std::string&, std::uint64_t, std::uint64_t)> progress;
};

// What is wrong with a generator or with its code is in its row, not an error. Errors: options (a data set or a model
// that does not fit the others, no such generator), and of a .tflite model as of import_model; system.
Result<report::Comparison> compare(const CompareRequest& request);

}  // namespace metamorph::pipeline

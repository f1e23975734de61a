// `metamorph verify`: weave for a device, build with its toolchain, and cut the power of the firmware in the emulator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/device.h"
#include "pipeline/pipeline.h"
#include "report/verify_result.h"

namespace metamorph::pipeline {

struct VerifyRequest {
    std::filesystem::path model;  // a model, or the folder of a project woven for a device if is_woven
    bool is_woven = false;
    std::vector<app::Device> devices;                // none of them this host; a woven project has its own
    std::string toolchain;                           // "gcc" or "clang"; empty: the device's first
    const generate::ForeignCode* foreign = nullptr;  // not owned; what another generator made of the model
    std::string generator_options;                   // for its banners, as of WeaveRequest
    std::string prefix;
    tasks::Split split;
    std::vector<tasks::SliceRequest> slices;
    int inferences = 1;
    std::filesystem::path inputs;  // raw bytes; empty: random by seed
    // Gives them where they depend on what is woven; may be empty.
    std::function<Result<std::string>(const weave::WovenSummary&)> inputs_for;
    std::uint64_t seed = 1;

    bool cuts = true;            // false: the uninterrupted runs are compared and measured, and nothing is proven
    int depth = 0;               // cuts in a row; 0: any number, the graph is closed
    bool merges = true;          // false: one cut after the other is really run
    std::uint64_t cuts_max = 0;  // of those, first cuts at most, spread evenly; 0: all
    std::string replay;          // id of a failure; empty: none
    std::filesystem::path gdb;   // with replay: where the state at the last cut is written to, for a debugger
    int jobs = 1;

    // Of an interrupted run of the same request; empty: from the beginning.
    std::filesystem::path resume;
    // Where an interrupt (util/interrupt.h) that comes while states are looked for leaves what they have shown, before
    // it ends this process; empty: nothing is left.
    std::filesystem::path state;
    std::function<void(const Error&)> on_interrupt;  // says so, at the end; may be empty
    std::function<bool()> is_interrupted;  // as if one had come, but an Error is returned; for tests; may be empty

    std::filesystem::path keep;  // folder for projects and builds; empty: a scratch folder
    bool explain = false;
    // (what, done, total; 0: unknown), a few times a second; may be empty
    std::function<void(const std::string&, std::uint64_t, std::uint64_t)> progress;
};

// What is wrong with the program is in the VerifyResult, not an error. Errors: as of the stages; toolchain.
Result<report::VerifyResult> verify(const VerifyRequest& request);

}  // namespace metamorph::pipeline

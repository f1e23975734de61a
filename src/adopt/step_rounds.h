// Steps that can do a part of their outer loop, for --slice: the function that a step calls is copied with a loop that
// passes over the rounds that are not asked for (cfront/loop_rounds.h), and the step calls that.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cfront/entry_source.h"
#include "cfront/external_statics.h"
#include "util/result.h"

namespace metamorph::adopt {

struct StepRounds {
    std::int64_t rounds = 0;  // 0: it cannot be sliced
    std::string why_not;      // rounds 0
    std::string function;  // "net_step_03_conv_rounds": takes the step's addresses, the first round, and the one behind
                           // the last
    std::string body;      // of it, as SourceStep::body
    std::string prototype;  // of what it calls; may be empty
};

struct RoundsOfSteps {
    std::vector<StepRounds> steps;          // a step each
    std::vector<cfront::SourceEdit> edits;  // of input's sources, by file and offset
};

// `model`: of the flat entry of `source`, with outer loops found. Errors: as of cfront::rounds_functions.
Result<RoundsOfSteps> rounds_of_steps(const cfront::FrontEndInput& input, const cfront::EntrySource& source,
                                      const cfront::CodeModel& model, const std::vector<std::string>& step_names);

}  // namespace metamorph::adopt

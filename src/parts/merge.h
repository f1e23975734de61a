// The parts of a network as one program: each part a step of an entry that can be woven. Functions of a part are
// renamed with its number, `cnn_init_2`; those that are textually the same in all parts, with all that they refer to
// (macros, too), are there once. The sample input gives way to buffers: the network's input, one for each cut, the
// output. What a buffer holds, and the copies between it and data memory, follow from the parts' known answers
// (transfer_runs.h).
//
// The steps are opaque: each sets the accelerator up from nothing, reads all of one buffer and writes each byte of
// another exactly once, and keeps nothing else. So its effects are declared here, and not found by the front end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "generate/generator.h"
#include "parts/part_source.h"
#include "util/result.h"

namespace metamorph::parts {

struct MergeRequest {
    std::string prefix;                        // C identifier
    std::vector<PartProject> parts;            // in order
    std::map<std::string, std::string> stubs;  // frameworks/ai8x/stubs, path → contents
    // Of the network's first layer: which bytes of loaded words it reads, where they are not four pixels of a channel.
    std::uint64_t input_processors = 0;
    bool input_is_chw = false;
    std::string generator;  // for banners: "ai8x"
};

struct MergedCode {
    generate::GeneratedCode code;  // adopted; its parameters: input, output, then the buffers between the steps
    cfront::CodeModel model;
    std::string known_input;                // the sample input as the entry's input
    std::vector<std::string> known_at_cut;  // what each cut's buffer then holds
};

// Errors: model, with file and line: what read_part refuses; parts that do not fit one another (what a part loads and
// the one before did not leave); programs that differ where they must not.
Result<MergedCode> merge(const MergeRequest& request);

}  // namespace metamorph::parts

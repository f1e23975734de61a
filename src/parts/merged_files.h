// The text of the merged program's files. Internal to parts/.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "parts/merge.h"
#include "parts/transfer_runs.h"

namespace metamorph::parts {

struct MergedPart {
    std::vector<TransferRun> loads, stores;     // between data memory and its buffers; stores: none in the last part
    std::vector<std::string> own, shared;       // definitions that it needs, in the order of its source
    std::int64_t from_bytes = 0, to_bytes = 0;  // of its buffers
    std::string step;                           // the function that is the step: "net_part_0"
};

struct MergedProgram {
    std::string prefix, generator;
    std::vector<PartSource> sources;
    std::vector<MergedPart> parts;
    std::set<std::string> shared;   // functions that are there once
    std::string softmax_step;       // empty: there is none
    std::int64_t output_bytes = 0;  // of the last step
};

// As it is called in the merged program.
std::string merged_name(const MergedProgram& program, const std::string& name, std::size_t part);

std::string write_parts_header(const MergedProgram& program);   // PREFIX_parts.h: the steps, for their callers
std::string write_shared_header(const MergedProgram& program);  // PREFIX_shared.h: what parts share, for the parts
std::string write_shared(const MergedProgram& program);         // PREFIX_shared.c
std::string write_part(const MergedProgram& program, std::size_t part);  // PREFIX_part_0.c
std::string write_entry(const MergedProgram& program);  // PREFIX_entry.c: the flat entry and the oracle
std::string write_known(const MergedProgram& program);  // PREFIX_known.c, for ai8x_replay.c

}  // namespace metamorph::parts

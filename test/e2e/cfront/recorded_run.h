// Runs generated C with callbacks at every load and store, and says which bytes of which object each step really
// touched.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::cfront {

struct RecordedAccess {
    IntervalSet reads, writes, written_once;
    IntervalSet reads_from_before;  // of reads: what the step had not yet written itself
};

// By step, by object of the model. Objects that the recorder cannot see (static variables, locals of the entry,
// constants) stay empty. `seed` makes the contents of the entry's parameters, but of those for which `given` has them
// (by the parameter's number).
using Recording = std::vector<std::vector<RecordedAccess>>;

bool is_recorded(const CodeModel& model, ObjectId object);

Result<Recording> record_accesses(const FrontEndInput& input, const CodeModel& model, std::uint32_t seed,
                                  const std::map<int, std::string>& given = {});

}  // namespace metamorph::cfront

// Outputs that an inference does not surely write whole: what is left of them would be what an earlier inference, or
// nobody, left there. The flat entry and the oracle clear them first.
#pragma once

#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "util/result.h"

namespace metamorph::adopt {

struct OutputParameter {
    int parameter = -1;  // of the flat entry
    std::string name;
    std::int64_t bytes = 0;
};

struct ClearedOutput {
    int parameter = -1, step = 0;  // the step that touches it first, or the first one of all
    std::int64_t bytes = 0;
};

// Those that may be read, or handed over, before they are written. Errors: model, an output that is surely read before
// it is written; `where` is the entry's place.
Result<std::vector<ClearedOutput>> outputs_to_clear(const cfront::CodeModel& model,
                                                    const std::vector<OutputParameter>& outputs,
                                                    const std::string& where);

}  // namespace metamorph::adopt

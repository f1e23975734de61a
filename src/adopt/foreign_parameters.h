// The generator's own parameters that are addresses, as those of the entry that we write: each with what a C file
// knows its elements by, how many there are, and its role.
#pragma once

#include <vector>

#include "adopt/adopted_files.h"
#include "cfront/code_model.h"
#include "generate/foreign_code.h"
#include "util/result.h"

namespace metamorph::adopt {

// In the entry's order. Errors: model (an extent that is not known, a parameter that leads to pointers), options (what
// `code` says of a parameter that does not exist, or that cannot be).
Result<std::vector<AdoptedParameter>> foreign_parameters(const generate::ForeignCode& code,
                                                         const cfront::Function& entry);

}  // namespace metamorph::adopt

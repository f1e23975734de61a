// What a part's main does around the accelerator: what is once a boot, how the accelerator is enabled, what becomes of
// the output.
#pragma once

#include "parts/part_source.h"

namespace metamorph::parts {

// Fills boot, enable, boost, has_softmax, output_array and output_words. Errors: model, with file and line: a statement
// of main that is not known, or calls in another order than is known.
Status read_program(PartSource& part);

}  // namespace metamorph::parts

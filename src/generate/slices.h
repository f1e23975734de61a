// The entry as the weaver wants it where layers are cut into slices: the call of each such layer becomes one call a
// slice, with constant rounds, of the function that does rounds of the layer's outer loop. Only the front end reads it;
// the generated project keeps the entry that calls whole layers, which is the oracle.
#pragma once

#include <string>
#include <vector>

#include "generate/generator.h"

namespace metamorph::generate {

// `slices[i]`: into how many slices code.calls[i] is cut, as equal as can be; 1: the call stays as it is. More than 1
// only where the call has an outer loop, of at least as many rounds. Returns the text of code.entry_source.
std::string sliced_entry(const GeneratedCode& code, const std::vector<int>& slices);

}  // namespace metamorph::generate

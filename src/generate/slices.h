// The entry as the weaver wants it where layers are cut into slices: the call of each such layer becomes one call a
// slice, with constant rounds, of the function that does rounds of the layer's outer loop. Only the front end reads it;
// the generated project keeps the entry that calls whole layers, which is the oracle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/generator.h"

namespace metamorph::generate {

// How many rounds of a call's outer loop make whole blocks of 16 bytes of output: slices begin and end there where that
// leaves enough of them, so that no two write into one write unit of non-volatile memory.
std::int64_t rounds_of_whole_blocks(const EntryCall& call);

// Where the slices of `rounds` rounds begin, and the end: as equal as can be in stretches of `whole` rounds or, where
// there are fewer of these than slices, in rounds.
std::vector<std::int64_t> slice_bounds(std::int64_t rounds, std::int64_t whole, int slices);

// `slices[i]`: into how many slices code.calls[i] is cut; 1: the call stays as it is. More than 1 only where the call
// has an outer loop, of at least as many rounds. Returns the text of code.entry_source.
std::string sliced_entry(const GeneratedCode& code, const std::vector<int>& slices);

}  // namespace metamorph::generate

// What a part of a network loads into the accelerator's data memory or leaves there, as its known-answer test lists it,
// and the fewest copies that move the same bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "util/result.h"

namespace metamorph::parts {

// A word of data memory: its bytes that count (a byte of the mask is 0 or 0xff), and their values.
struct KnownWord {
    std::uint32_t mask = 0, value = 0;
    friend bool operator==(const KnownWord&, const KnownWord&) = default;
};
using KnownWords = std::map<std::uint32_t, KnownWord>;  // by address

// A list as the generator writes it: address, mask, length, so many words, again and again, and a 0. Errors: model,
// naming `where` (a list that ends early, an address twice, a mask that cuts through bytes, bytes outside the mask).
Result<KnownWords> read_known_list(const std::vector<std::uint32_t>& list, const std::string& where);

// `words` of a mask each, the first at `address`, the others `step` bytes on from one to the next.
struct TransferRun {
    std::uint32_t address = 0, mask = 0, words = 0, step = 4;
    friend bool operator==(const TransferRun&, const TransferRun&) = default;
};

// The runs that move exactly these bytes, merged by instance: within one, words of the same mask in even steps are one
// run. In the order of instances, masks and addresses.
std::vector<TransferRun> merge_runs(const KnownWords& words);

std::int64_t bytes_of(const std::vector<TransferRun>& runs);  // those of the masks

// The bytes of the known words in the order of the runs, as they lie in a buffer.
std::string packed(const KnownWords& words, const std::vector<TransferRun>& runs);

// What the part behind a cut loads, as bytes that the part before it has stored: where a stored byte is loaded it
// counts, and what was never stored must be loaded as 0. Errors: model: a byte that is loaded and not 0 but was not
// stored, or was stored with another value, naming the address and both parts.
Result<KnownWords> crossing_words(const KnownWords& stored, const KnownWords& loaded, const std::string& storing_part,
                                  const std::string& loading_part);

}  // namespace metamorph::parts

// Layers cut into slices, for layers that are larger than the energy of one charge: reads what the user wrote behind
// --slice, chooses how many slices each layer becomes, and shows that slices are independent. A slice is a step and a
// task of its own (docs/decisions/0004-slices.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tasks/chain.h"
#include "util/result.h"

namespace metamorph::tasks {

// One --slice.
struct SliceRequest {
    enum class Kind {
        layer,       // this layer, into `amount` slices
        auto_bytes,  // every layer, so that no slice makes more than `amount` bytes of output
        auto_macs    // the same for multiply-accumulates
    } kind = Kind::layer;
    std::string layer;  // kind layer: number or name
    std::int64_t amount = 1;
    friend bool operator==(const SliceRequest&, const SliceRequest&) = default;
};

// "3=4", "conv2d_03_relu=4", "auto:4096B", "auto:50000MACs". Errors: options.
Result<SliceRequest> parse_slice(const std::string& text);
std::string print(const SliceRequest& request);  // as parse_slice reads it

// What can be sliced of one step of the unsliced entry: the rounds of its outer loop.
struct SliceableLayer {
    std::string name;         // function without prefix: "conv2d_03_relu"
    std::string function;     // with prefix; it names the layer, too
    std::int64_t rounds = 0;  // 0: it cannot be sliced
    std::int64_t whole = 1;   // slices begin and end at multiples of this, if there are as many stretches as slices
    std::string unit;         // what a round makes: "positions"
    std::string why_not;      // rounds 0
    std::int64_t output_bytes = 0, macs = 0;
};

// How many slices each layer becomes, 1 for most. A layer that is named has its number; of all others the largest that
// the automatic ones ask for. Errors: options (no such layer, named twice, more slices than rounds, a layer that cannot
// be sliced, a single round that is larger than what is allowed).
Result<std::vector<int>> choose_slices(const std::vector<SliceRequest>& requests,
                                       const std::vector<SliceableLayer>& layers);

// `layers_per_task` counts layers; each slice becomes a task of its own, and what is left of its task one before and
// one behind it. Returns steps per task.
std::vector<int> steps_per_task(const std::vector<int>& layers_per_task, const std::vector<int>& slices);

// What would cross a cut behind each layer, of what would cross one behind each step (liveness.h).
std::vector<std::int64_t> behind_layers(const std::vector<std::int64_t>& behind_steps, const std::vector<int>& slices);

// Shows from the access sets that the slices of a layer are independent: they write disjoint bytes, and none reads what
// another writes. So it does not matter which of them ran before a power failure. Errors: model, with the bytes and the
// reason.
Status check_slices(const cfront::CodeModel& model, const std::vector<int>& slices);

// Tells the chain which of its steps are slices of which layer, and which rounds: the last two arguments of their
// calls.
void mark_slices(Chain& chain, const std::vector<int>& slices);

}  // namespace metamorph::tasks

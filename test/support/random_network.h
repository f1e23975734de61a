// Random int8 networks that pass graph::verify, for round trips and for comparing what computes them. All supported
// operators occur, with odd shapes, strides, dilations, broadcasts, per-channel and asymmetric quantisation. Scales
// follow estimates of what the tensors hold, so that values spread over the int8 range instead of saturating.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace metamorph::test_support {

struct RandomNetworkOptions {
    int operators_min = 3, operators_max = 14;
    std::int64_t macs_max = 200'000;
    std::int64_t elements_max = 4096;  // of one tensor
    // A stand-alone RELU_N1_TO_1 has no kernel in TensorFlow Lite Micro; networks for that oracle must not have it.
    bool has_relu_n1_to_1 = false;
};

// The same seed and options give the same network. Uniformly random int8 inputs are what the scales are chosen for; a
// float32 input should be uniform over the range that its Quantize operator represents.
graph::Graph random_network(std::uint64_t seed, const RandomNetworkOptions& options = {});

}  // namespace metamorph::test_support

// What the public names and the files of generated C begin with.
#pragma once

#include <string>

#include "util/result.h"

namespace metamorph::generate::native {

// `wanted` if it can begin names and files of C, else an error (options) with what can. Where `wanted` is empty: made
// from the network's name, "Pretrained-ResNet.v2" → "pretrained_resnet_v2", "signal" → "model_signal".
Result<std::string> choose_prefix(const std::string& network, const std::string& wanted);

}  // namespace metamorph::generate::native

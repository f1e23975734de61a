// What a library is built for: a processor, its compiler, and the flags that every compilation for it needs.
#pragma once

#include <string>
#include <vector>

#include "app/device.h"
#include "app/library.h"
#include "util/result.h"

namespace metamorph::libraries {

struct Target {
    std::string device, toolchain;  // names
    std::string core, attachment;   // as descriptions spell them; of the host no attachment
    std::string program;            // the compiler, in PATH or a path
    std::vector<std::string> packages, flags;

    bool is_in(const app::TargetSet& set) const;
};

// `toolchain`: empty for the first that the device names (of the host: gcc). Errors: options (the device has no such
// toolchain).
Result<Target> target_for(const app::Device& device, const std::string& toolchain, const std::string& option);

// Of what is not the host all that the description of the device names; of the host those of build/toolchain.h.
std::vector<std::string> toolchains_of(const app::Device& device);

}  // namespace metamorph::libraries

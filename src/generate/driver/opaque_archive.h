// Builds what Metamorph cannot read, as its framework's description says.
#pragma once

#include <string>
#include <vector>

#include "generate/foreign_code.h"
#include "util/result.h"

namespace metamorph::generate {

// The archive's contents, for a device (null: this machine), whose gcc is `compiler` ("arm-none-eabi-gcc") with
// `flags` of its target. `code.opaque` is there. Errors: those of its find_archive, model (the framework's script
// refuses, such as a target for which the language has no library), toolchain (it failed, hung, or wrote no archive),
// system.
Result<std::string> build_archive(const ForeignCode& code, const app::Device* device, const std::string& compiler,
                                  const std::vector<std::string>& flags);

}  // namespace metamorph::generate

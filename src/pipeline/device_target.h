// What code of other generators is read for, where it is woven for a device.
#pragma once

#include "app/device.h"
#include "build/command_runner.h"
#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::pipeline {

// For a device that is not the host. The C library's headers are those that the device's first compiler finds. Errors:
// toolchain (it is not installed, or does not say).
Result<cfront::Target> target_of(const app::Device& device, build::CommandRunner& runner);

}  // namespace metamorph::pipeline

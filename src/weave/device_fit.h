// Whether a woven application, and the plain program beside it, fit the memories of a device: before anything is built.
// Of flash only the constants are known before a compiler has seen the code, so that is a lower bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/device.h"
#include "tasks/chain.h"
#include "tasks/task_plan.h"
#include "util/result.h"

namespace metamorph::weave {

// RAM of the runtime, the port and the start-up code: an upper bound over all devices and compilers. A test compares it
// with what the linker finds (test/e2e/weave/firmware_test.cpp).
inline constexpr std::int64_t k_runtime_sram_bytes = 256;

// What the device's SRAM has for SRAM images: without its stack, the runtime and the generated code's variables. May be
// negative.
std::int64_t sram_for_images(const tasks::Chain& chain, const app::Device& device);

// Buffers of the plain program, a parameter of the entry each: true where it lives in NVM for want of SRAM (mapped NVM
// only; largest first).
std::vector<bool> plain_buffers_in_nvm(const tasks::Chain& chain, const app::Device& device);

// Errors: options (SRAM, NVM or flash is too small), naming the device, the memory, the need, what there is and by how
// much it is exceeded.
Status check_fits(const tasks::Chain& chain, const tasks::TaskPlan& plan, const app::Device& device);

// Of code that was adopted: the generator's own entry takes the first `parameters` of the chain's, and has
// `stack_bytes` of locals. Errors: options.
Status check_plain_stack(const tasks::Chain& chain, int parameters, std::int64_t stack_bytes,
                         const app::Device& device);

// For --explain: what the application takes of each memory, and for what.
std::string print_fit(const tasks::Chain& chain, const tasks::TaskPlan& plan, const app::Device& device);

}  // namespace metamorph::weave

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the host port wants to know of the toy.
 */
#include "mm_host.h"
#include "toy_layers.h"
#include "toy_tasks.h"

static const uint32_t input_bytes[] = {TOY_IN};
static const uint32_t output_bytes[] = {TOY_OUT * sizeof(int32_t)};
static const char* const task_names[] = {"take_input", "split", "mix", "reduce", "hand_over"};

const mm_host_app_t mm_host_app = {&toy_app, input_bytes, output_bytes, task_names, 1, 1};

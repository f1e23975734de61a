/* digits_int8 for the host port: its inputs, outputs and the names of its tasks.
 *
 * Woven by Metamorph 0.1.0 from digits_int8.tflite (SHA-256 1a0cce4105e93646884b5640f39ac1b79b9fce17fe86212dbebba8fb59a169c8)
 * with --tasks 3,3 --nvm bus. Regenerate with:
 *   metamorph weave digits_int8.tflite -o DIR --tasks 3,3 --nvm bus
 */
#include "digits_int8_app.h"
#include "mm_host.h"

static const uint32_t input_bytes[] = {64u};
static const uint32_t output_bytes[] = {10u};
static const char *const task_names[] = {
    "take_input",
    "conv2d_00_relu..conv2d_02_relu",
    "average_pool2d_03..softmax_06",
    "hand_over",
};

const mm_host_app_t mm_host_app = {
    .app = &digits_int8_app,
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .task_names = task_names,
    .input_count = 1u,
    .output_count = 1u,
};

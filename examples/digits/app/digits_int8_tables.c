/* What each task of digits_int8 fetches and commits.
 *
 * Woven by Metamorph 0.1.0 from digits_int8.tflite (SHA-256 1a0cce4105e93646884b5640f39ac1b79b9fce17fe86212dbebba8fb59a169c8)
 * with --tasks 3,3 --nvm bus. Regenerate with:
 *   metamorph weave digits_int8.tflite -o DIR --tasks 3,3 --nvm bus
 */
#include "digits_int8_app.h"
#include "metamorph/mm_port.h"

_Static_assert(DIGITS_INT8_APP_NVM_BYTES >= 1472u, "the homes of all variables end there");
static const mm_transfer_t commit_00[] = {
    {.home = 1408u, .sram = &digits_int8_sram_input[0], .bytes = 64u, .since = 0, .buffer = MM_BUFFER_NONE, .stride = 0u},
};
static const mm_transfer_t fetch_01[] = {
    {.home = 1408u, .sram = &digits_int8_sram_input[0], .bytes = 64u, .since = 0, .buffer = MM_BUFFER_NONE, .stride = 0u},
};
static const mm_transfer_t commit_01[] = {
    {.home = 128u, .sram = &digits_int8_sram_arena[0], .bytes = 1280u, .since = 0, .buffer = MM_BUFFER_NONE, .stride = 0u},
};
static const mm_transfer_t fetch_02[] = {
    {.home = 128u, .sram = &digits_int8_sram_arena[0], .bytes = 1280u, .since = 1, .buffer = MM_BUFFER_NONE, .stride = 0u},
};
static const mm_transfer_t commit_02[] = {
    {.home = 1408u, .sram = &digits_int8_sram_output[0], .bytes = 10u, .since = 0, .buffer = MM_BUFFER_NONE, .stride = 0u},
};
static const mm_transfer_t fetch_03[] = {
    {.home = 1408u, .sram = &digits_int8_sram_output[0], .bytes = 10u, .since = 2, .buffer = MM_BUFFER_NONE, .stride = 0u},
};

static const mm_task_t tasks[DIGITS_INT8_APP_TASKS] = {
    {.run = digits_int8_task_00,
     .fetch = 0, .commit = commit_00, .fetch_count = 0u, .commit_count = 1u, .flips = 0x0u}, /* take_input */
    {.run = digits_int8_task_01,
     .fetch = fetch_01, .commit = commit_01, .fetch_count = 1u, .commit_count = 1u, .flips = 0x0u}, /* conv2d_00_relu..conv2d_02_relu */
    {.run = digits_int8_task_02,
     .fetch = fetch_02, .commit = commit_02, .fetch_count = 1u, .commit_count = 1u, .flips = 0x0u}, /* average_pool2d_03..softmax_06 */
    {.run = digits_int8_task_03,
     .fetch = fetch_03, .commit = 0, .fetch_count = 1u, .commit_count = 0u, .flips = 0x0u}, /* hand_over */
};

const mm_app_t digits_int8_app = {
    .build_id = 0x27e310d867ab5b8cu,
    .nvm_bytes = DIGITS_INT8_APP_NVM_BYTES,
    .layout = MM_NVM_LAYOUT,
    .task_count = DIGITS_INT8_APP_TASKS,
    .tasks = tasks,
    .initial = 0,
    .initial_count = 0u,
};

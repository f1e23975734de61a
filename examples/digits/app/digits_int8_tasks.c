/* The tasks of digits_int8.
 *
 * Woven by Metamorph 0.1.0 from digits_int8.tflite (SHA-256 1a0cce4105e93646884b5640f39ac1b79b9fce17fe86212dbebba8fb59a169c8)
 * with --tasks 3,3 --nvm bus. Regenerate with:
 *   metamorph weave digits_int8.tflite -o DIR --tasks 3,3 --nvm bus
 */
#include "digits_int8_app.h"
#include "metamorph/mm_port.h"

#include "digits_int8_layers.h"

MM_SRAM_PLACEMENT _Alignas(16) uint8_t digits_int8_sram_input[64];

MM_SRAM_PLACEMENT _Alignas(16) uint8_t digits_int8_sram_output[10];

MM_SRAM_PLACEMENT _Alignas(16) uint8_t digits_int8_sram_arena[2304];

/* Task 0: take_input.
 * Commits: input [0, 64), NVM home 1408.
 * Running it again is safe: nothing that it writes in NVM has a byte in common with what it reads there. */
mm_task_id_t digits_int8_task_00(void)
{
    if (!mm_port_take_input(mm_inference(), 0u, &digits_int8_sram_input[0], 64u)) {
        return MM_TASK_IDLE;
    }
    return 1u;
}

/* Task 1: conv2d_00_relu..conv2d_02_relu.
 * Needs in SRAM: input [0, 64), NVM home 1408.
 * Commits: arena [0, 1280), NVM home 128.
 * Running it again is safe: nothing that it writes in NVM has a byte in common with what it reads there. */
mm_task_id_t digits_int8_task_01(void)
{
    digits_int8_conv2d_00_relu((const int8_t *)&digits_int8_sram_input[0], (int8_t *)&digits_int8_sram_arena[0]);
    digits_int8_depthwise_conv2d_01_relu((const int8_t *)&digits_int8_sram_arena[0], (int8_t *)&digits_int8_sram_arena[1280]);
    digits_int8_conv2d_02_relu((const int8_t *)&digits_int8_sram_arena[1280], (int8_t *)&digits_int8_sram_arena[0]);
    return 2u;
}

/* Task 2: average_pool2d_03..softmax_06.
 * Needs in SRAM: arena [0, 1280), NVM home 128.
 * Commits: output [0, 10), NVM home 1408.
 * Running it again is safe: nothing that it writes in NVM has a byte in common with what it reads there. */
mm_task_id_t digits_int8_task_02(void)
{
    digits_int8_average_pool2d_03((const int8_t *)&digits_int8_sram_arena[0], (int8_t *)&digits_int8_sram_arena[1280]);
    digits_int8_fully_connected_05((const int8_t *)&digits_int8_sram_arena[1280], (int8_t *)&digits_int8_sram_arena[0]);
    digits_int8_softmax_06((const int8_t *)&digits_int8_sram_arena[0], (int8_t *)&digits_int8_sram_output[0]);
    return 3u;
}

/* Task 3: hand_over.
 * Needs in SRAM: output [0, 10), NVM home 1408.
 * Running it again is safe: nothing that it writes in NVM has a byte in common with what it reads there. */
mm_task_id_t digits_int8_task_03(void)
{
    mm_port_hand_over(mm_inference(), 0u, &digits_int8_sram_output[0], 10u);
    return MM_TASK_DONE;
}

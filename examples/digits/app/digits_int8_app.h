/* The intermittence-safe application digits_int8: tasks, SRAM and NVM.
 *
 * Woven by Metamorph 0.1.0 from digits_int8.tflite (SHA-256 1a0cce4105e93646884b5640f39ac1b79b9fce17fe86212dbebba8fb59a169c8)
 * with --tasks 3,3 --nvm bus. Regenerate with:
 *   metamorph weave digits_int8.tflite -o DIR --tasks 3,3 --nvm bus
 */
#ifndef DIGITS_INT8_APP_H
#define DIGITS_INT8_APP_H

#include <stdint.h>

#include "metamorph/mm_runtime.h"

#define DIGITS_INT8_APP_TASKS 4u
#define DIGITS_INT8_APP_NVM_BYTES 1472u

/* Run it with mm_run(&digits_int8_app). */
extern const mm_app_t digits_int8_app;

/* Of SRAM images, in which nothing is read before it is written or fetched. */
#define MM_SRAM_PLACEMENT

/* SRAM image of the generated entry's parameter 'input'. */
extern uint8_t digits_int8_sram_input[64];
/* SRAM image of the generated entry's parameter 'output'. */
extern uint8_t digits_int8_sram_output[10];
/* SRAM image of the generated entry's parameter 'arena'. */
extern uint8_t digits_int8_sram_arena[2304];

mm_task_id_t digits_int8_task_00(void);
mm_task_id_t digits_int8_task_01(void);
mm_task_id_t digits_int8_task_02(void);
mm_task_id_t digits_int8_task_03(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The board that woven firmware runs on in an emulator: a window of registers through which inputs come and outputs go
 * (docs/decisions/0003-boards.md of Metamorph). On a board of your own, replace mm_board_io.c by what your inputs and
 * outputs are.
 */
#ifndef METAMORPH_MM_BOARD_H
#define METAMORPH_MM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "metamorph/mm_runtime.h"

/* What the weaver generates beside the table: the application as tools see it. */
typedef struct mm_board_app {
    const mm_app_t* app;
    const uint32_t* input_bytes; /* of each input of an inference */
    const uint32_t* output_bytes;
    const char* const* task_names; /* app->task_count of them */
    uint16_t input_count;
    uint16_t output_count;
} mm_board_app_t;
extern const mm_board_app_t mm_board_app;

/* Registers of the window, 32 bits each, at these bytes from mm_board_io. */
enum {
    MM_BOARD_INPUTS = 0x00,
    MM_BOARD_SEQUENCE = 0x08,
    MM_BOARD_INDEX = 0x0C,
    MM_BOARD_BYTES = 0x10,
    MM_BOARD_HAND_OVER = 0x14,
    MM_BOARD_HALT = 0x18,
    MM_BOARD_DATA = 0x1000,
    MM_BOARD_WINDOW_BYTES = 0x100000
};
#define MM_BOARD_FAULT 0xFFu /* written to halt instead of 1 + mm_status_t: the processor took an exception */

/* Copies `bytes` of an input to `to`, each byte stored once. `at`: where inference `sequence` finds it among its
 * inputs, which have `inference_bytes` together. False: the world has no such inference. */
bool mm_board_take(uint32_t sequence, uint32_t inference_bytes, uint32_t at, void* to, uint32_t bytes);

void mm_board_give(uint32_t sequence, uint32_t index, const void* from, uint32_t bytes);

/* Nothing more to do. */
_Noreturn void mm_board_halt(uint32_t code, mm_task_id_t task);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The board that firmware runs on in an emulator (README.md): a window for inputs and outputs, and an SPI controller.
 * On a device of your own, replace this folder: mm_board.c shows what a port must give beside NVM.
 */
#ifndef METAMORPH_MM_BOARD_H
#define METAMORPH_MM_BOARD_H

#include <stdint.h>

#include "metamorph/mm_port.h"

/* What the weaver generates beside the table, for the board only. */
typedef struct mm_board_app {
    const mm_app_t* app;
    const uint32_t* input_bytes; /* of each input of an inference */
    const uint32_t* output_bytes;
    const char* const* task_names; /* app->task_count of them */
    uint16_t input_count;
    uint16_t output_count;
} mm_board_app_t;
extern const mm_board_app_t mm_board_app;

/* The I/O window, at an address that the linker script gives. */
typedef struct mm_board_io {
    uint32_t inputs; /* how many inferences have an input */
    uint32_t unused;
    uint32_t sequence, index, bytes; /* of the output being handed over */
    uint32_t hand_over;              /* 1: data is handed over, by this write */
    uint32_t halt;                   /* 1 + status, in bits 16 to 31 the task: nothing more to do */
    uint32_t unused_too[0x3F9];
    uint32_t data[]; /* bytes of the output, at 0x1000 */
} mm_board_io_t;
_Static_assert(sizeof(mm_board_io_t) == 0x1000, "data begins at 0x1000");
extern volatile mm_board_io_t mm_board_io;
extern const uint8_t mm_board_inputs[]; /* inferences one after another, each all its inputs */

bool mm_board_take(uint32_t sequence, uint32_t offset, uint32_t all, void* to, uint32_t bytes);
void mm_board_hand_over(uint32_t sequence, uint32_t index, const void* from, uint32_t bytes);
MM_NORETURN void mm_board_halt(mm_status_t status, mm_task_id_t task);

#endif

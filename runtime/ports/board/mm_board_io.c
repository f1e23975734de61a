/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The board's I/O window. Used by the woven application and by the plain one.
 */
#include "mm_board.h"

bool mm_board_take(uint32_t sequence, uint32_t offset, uint32_t all, void* to, uint32_t bytes) {
    if (sequence >= mm_board_io.inputs) {
        return false;
    }
    const volatile uint8_t* from = mm_board_inputs + sequence * all + offset;
    volatile uint8_t* at = (volatile uint8_t*)to;
    while (bytes-- != 0u) {
        *at++ = *from++;
    }
    return true;
}

void mm_board_hand_over(uint32_t sequence, uint32_t index, const void* from, uint32_t bytes) {
    const uint8_t* at = (const uint8_t*)from;
    volatile uint8_t* data = (volatile uint8_t*)mm_board_io.data;
    mm_board_io.sequence = sequence;
    mm_board_io.index = index;
    mm_board_io.bytes = bytes;
    for (uint32_t i = 0; i < bytes; i++) {
        data[i] = at[i];
    }
    mm_board_io.hand_over = 1;
}

void mm_board_halt(mm_status_t status, mm_task_id_t task) {
    mm_board_io.halt = 1u + (uint32_t)status + ((uint32_t)task << 16);
    for (;;) {
    }
}

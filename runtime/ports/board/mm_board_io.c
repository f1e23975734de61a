/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The I/O window, for both the woven program and the plain one. Data is copied before the registers announce it, and
 * the write to hand_over is the event: a cut before it leaves no output, a cut after it leaves the whole one.
 */
#include "mm_board.h"
#include "mm_start.h"

/* Linker script. Start of the window: registers must be written as words at once, which a compiler does (RISC-V) only
 * where it knows of the alignment; inputs, inference after inference. */
extern uint8_t mm_board_io[] __attribute__((aligned(4)));
extern uint8_t mm_board_inputs[];

static volatile uint32_t* mm_board_register(uint32_t at) {
    return (volatile uint32_t*)(void*)(mm_board_io + at);
}

static void mm_board_copy(volatile uint8_t* to, const uint8_t* from, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = from[i];
    }
}

bool mm_board_take(uint32_t sequence, uint32_t inference_bytes, uint32_t at, void* to, uint32_t bytes) {
    if (sequence >= *mm_board_register(MM_BOARD_INPUTS)) {
        return false;
    }
    mm_board_copy((volatile uint8_t*)to, mm_board_inputs + sequence * inference_bytes + at, bytes);
    return true;
}

void mm_board_give(uint32_t sequence, uint32_t index, const void* from, uint32_t bytes) {
    mm_board_copy(mm_board_io + MM_BOARD_DATA, (const uint8_t*)from, bytes);
    *mm_board_register(MM_BOARD_SEQUENCE) = sequence;
    *mm_board_register(MM_BOARD_INDEX) = index;
    *mm_board_register(MM_BOARD_BYTES) = bytes;
    *mm_board_register(MM_BOARD_HAND_OVER) = 1;
}

void mm_board_halt(uint32_t code, mm_task_id_t task) {
    *mm_board_register(MM_BOARD_HALT) = code | (uint32_t)task << 16;
    for (;;) {
    }
}

void mm_start_fault(void) {
    mm_board_halt(MM_BOARD_FAULT, 0);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All of a port but its NVM, and the main program.
 */
#include "mm_board.h"

void mm_port_restore_peripherals(void) {}

static uint32_t mm_sum(const uint32_t* bytes, unsigned count) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += bytes[i];
    }
    return sum;
}

bool mm_port_take_input(uint32_t sequence, unsigned index, void* to, uint32_t bytes) {
    return mm_board_take(sequence, mm_sum(mm_board_app.input_bytes, index),
                         mm_sum(mm_board_app.input_bytes, mm_board_app.input_count), to, bytes);
}

void mm_port_hand_over(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    mm_board_hand_over(sequence, index, from, bytes);
}

/* On this board power is cut on purpose, as often as it takes: whoever cuts it wants to be told. */
bool mm_port_no_progress(mm_task_id_t task, uint32_t attempts) {
    (void)task;
    (void)attempts;
    return false;
}

/* Where an emulator stops and looks. `inference`: inferences completed. */
__attribute__((noinline)) void mm_board_event(uint32_t event, uint32_t task, uint32_t inference) {
    __asm__ volatile("" ::"r"(event), "r"(task), "r"(inference) : "memory");
}

void mm_port_event(mm_event_t event, mm_task_id_t task) {
    mm_board_event((uint32_t)event, task, mm_inference());
}

void mm_port_fatal(mm_status_t status, mm_task_id_t task) {
    mm_board_halt(status, task);
}

int main(void) {
    mm_board_halt(mm_run(mm_board_app.app), 0);
}

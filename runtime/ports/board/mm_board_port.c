/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the runtime asks of a port beside NVM, and main, for the board of mm_board.h.
 */
#include "metamorph/mm_port.h"
#include "mm_board.h"

static mm_task_id_t mm_board_stuck_at; /* task of MM_STATUS_NO_PROGRESS */

static uint32_t mm_board_sum(const uint32_t* bytes, unsigned count) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += bytes[i];
    }
    return sum;
}

/* For peripherals that tasks rely on: define it anew, this one gives way. */
__attribute__((weak)) void mm_port_restore_peripherals(void) {}

bool mm_port_take_input(uint32_t sequence, unsigned index, void* to, uint32_t bytes) {
    if (index >= mm_board_app.input_count || bytes != mm_board_app.input_bytes[index]) {
        mm_port_fatal(MM_STATUS_BAD_TABLE, 0);
    }
    return mm_board_take(sequence, mm_board_sum(mm_board_app.input_bytes, mm_board_app.input_count),
                         mm_board_sum(mm_board_app.input_bytes, index), to, bytes);
}

void mm_port_hand_over(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    if (bytes > MM_BOARD_WINDOW_BYTES - MM_BOARD_DATA) {
        mm_port_fatal(MM_STATUS_BAD_TABLE, 0);
    }
    mm_board_give(sequence, index, from, bytes);
}

bool mm_port_no_progress(mm_task_id_t task, uint32_t attempts) {
    (void)attempts;
    mm_board_stuck_at = task;
    return false;
}

void mm_port_fatal(mm_status_t status, mm_task_id_t task) {
    mm_board_halt(1u + (uint32_t)status, task);
}

/* Found by its address: it must stay a function of its own, whose calls nobody leaves out. */
__attribute__((noinline, used)) void mm_port_event(mm_event_t event, mm_task_id_t task) {
    __asm__ volatile("" ::"r"(event), "r"(task) : "memory");
}

int main(void) {
    const mm_status_t status = mm_run(mm_board_app.app);
    mm_board_halt(1u + (uint32_t)status, mm_board_stuck_at);
}

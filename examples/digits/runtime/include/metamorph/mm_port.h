/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a port provides to the runtime. All functions are found at link time; a port is one or two C files.
 *
 * NVM is addressed from 0 to nvm_bytes - 1. Two kinds of port:
 *   mapped: NVM is memory. The generated code defines `mm_nvm[]` (section ".mm_nvm", see MM_NVM_PLACEMENT), tasks work on it
 *           in place, mm_port_nvm_read and _write copy to and from it.
 *   bus:    NVM is behind a bus (SPI). Only mm_port_nvm_read and _write reach it.
 */
#ifndef METAMORPH_MM_PORT_H
#define METAMORPH_MM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "metamorph/mm_runtime.h"

/* The array that is the NVM of a mapped port is defined by the generated code as
 *     MM_NVM_PLACEMENT uint8_t mm_nvm[MM_NVM_ARRAY_BYTES(nvm_bytes)];
 * A port's build may redefine the placement (another section name) and the page (4096 on a host, where a file is mapped
 * over the array: it then has its pages to itself). */
#ifndef MM_NVM_PAGE_BYTES
#define MM_NVM_PAGE_BYTES 16
#endif
#ifndef MM_NVM_PLACEMENT
#define MM_NVM_PLACEMENT __attribute__((section(".mm_nvm"), aligned(MM_NVM_PAGE_BYTES)))
#endif
#define MM_NVM_ARRAY_BYTES(bytes) \
    (((bytes) + MM_NVM_PAGE_BYTES - 1u) / MM_NVM_PAGE_BYTES * MM_NVM_PAGE_BYTES)

#ifdef __cplusplus
#define MM_NORETURN [[noreturn]]
extern "C" {
#else
#define MM_NORETURN _Noreturn
#endif

/* Called first in every boot. Checks that `nvm_bytes` are there. MM_STATUS_OK, or MM_STATUS_NVM_ERROR, which mm_run
 * returns. An error of any later port call goes to mm_port_fatal. */
mm_status_t mm_port_open(uint32_t nvm_bytes);

/* Copies from NVM, and to NVM. A read gives what was last written. All writes are durable when the next
 * mm_port_nvm_barrier returns; until then they may become durable in any order. If power is lost, any part of the writes
 * since the last barrier may be durable, and one write unit may be torn. */
mm_status_t mm_port_nvm_read(uint32_t address, void *to, uint32_t bytes);
mm_status_t mm_port_nvm_write(uint32_t address, const void *from, uint32_t bytes);
mm_status_t mm_port_nvm_barrier(void);

/* Once in every boot, when it is counted and before anything else may need them (mm_port_no_progress, the fetches and the
 * work of the first task, mm_port_take_input, mm_port_hand_over): sets up again whatever peripherals these rely on. */
void mm_port_restore_peripherals(void);

/* Puts input `index` of inference number `sequence` to `to` (SRAM or mapped NVM), each byte written once. False: no input
 * now. May be asked again for the same sequence after a power failure; what it gave is used only once it is committed,
 * and then it is never asked for that sequence again. */
bool mm_port_take_input(uint32_t sequence, unsigned index, void *to, uint32_t bytes);

/* Hands over output `index` of inference number `sequence`. After a power failure it may be called again with the same
 * sequence and the same bytes, never with others and never out of order: the receiver drops a sequence it has. */
void mm_port_hand_over(uint32_t sequence, unsigned index, const void *from, uint32_t bytes);

/* `attempts` boots (MM_ATTEMPTS_MAX: no more are counted) resumed at this task, and none of them committed it or found it
 * idle. True: try again (asked again at the next boot); false: mm_run returns MM_STATUS_NO_PROGRESS. */
bool mm_port_no_progress(mm_task_id_t task, uint32_t attempts);

/* Errors that leave no way on. Must not return. */
MM_NORETURN void mm_port_fatal(mm_status_t status, mm_task_id_t task);

/* Markers for counters, traces and emulators; a port may define them as empty functions. */
typedef enum mm_event {
    MM_EVENT_BOOT,          /* the record is chosen; task: the one that is resumed. Once a boot */
    MM_EVENT_FIRST_BOOT,    /* no valid record was found: starting anew. Precedes MM_EVENT_BOOT of the same boot */
    MM_EVENT_TASK_START,    /* before the task's fetches */
    MM_EVENT_COMMIT_START,  /* before its results are written back */
    MM_EVENT_RECORD_START,  /* before the record's writes */
    MM_EVENT_COMMIT_DONE    /* the new record is active */
} mm_event_t;
void mm_port_event(mm_event_t event, mm_task_id_t task);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The host port: NVM is a file that survives the process; power can be cut before any write unit.
 *
 * One of two macros chooses how the application reaches NVM (metamorph/mm_port.h): MM_PORT_MAPPED (the file is mapped
 * over mm_nvm[]; write units are the stores that sanitizer-coverage callbacks announce, and the single bytes of the
 * port's own copying) or MM_PORT_BUS (the file is reached by read and write only; a write unit is a byte). See
 * README.md.
 */
#ifndef METAMORPH_MM_HOST_H
#define METAMORPH_MM_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metamorph/mm_port.h"
#include "metamorph/mm_runtime.h"

#if defined(MM_PORT_MAPPED) == defined(MM_PORT_BUS)
#error "define one of MM_PORT_MAPPED and MM_PORT_BUS"
#endif

/* What the weaver generates beside the table, for the host only: the application's inputs and outputs. */
typedef struct mm_host_app {
    const mm_app_t* app;
    const uint32_t* input_bytes; /* of each input of an inference */
    const uint32_t* output_bytes;
    const char* const* task_names; /* app->task_count of them */
    uint16_t input_count;
    uint16_t output_count;
} mm_host_app_t;
extern const mm_host_app_t mm_host_app;

/* ---- Exit statuses of the program ---- */
enum {
    MM_HOST_EXIT_DONE = 0,
    MM_HOST_EXIT_FAILED_CHECK = 1, /* --explore, --replay: a cut was not survived */
    MM_HOST_EXIT_USAGE = 64,       /* wrong option, file that is missing or too short */
    MM_HOST_EXIT_FATAL = 70,       /* mm_port_fatal, bad table, NVM error, output out of order */
    MM_HOST_EXIT_NO_PROGRESS = 71,
    MM_HOST_EXIT_UNSEEN_STORE = 72, /* NVM changed without a callback: nothing about cuts can be claimed */
    MM_HOST_EXIT_NO_CALLBACKS = 73  /* cuts wanted, but the application was compiled without store callbacks */
};

/* ---- NVM (mm_host_nvm.c) ---- */
extern uint8_t* mm_host_nvm; /* byte 0 of NVM in this process; NULL until attached */
extern uint32_t mm_host_nvm_bytes;

/* Maps `path` (created, or filled anew, according to `fill`) as NVM of `bytes` bytes. `fill` is NULL (keep what is
 * there; a new file is zeros), "zeros", "ones", "noise:SEED" or a file to copy. False: says why on stderr. */
bool mm_host_attach_nvm(const char* path, uint32_t bytes, const char* fill);

/* The next write unit: power is cut here, or these bytes change next. */
void mm_host_announce_unit(uint32_t address, uint32_t bytes);

/* Copies to `to`; where that is NVM, each byte is a write unit. */
void mm_host_copy_bytes(void* to, const void* from, uint32_t bytes);

/* Copies whatever lies behind the port's back: no write units. `bytes` may be any number. */
void mm_host_copy_raw(void* to, const void* from, size_t bytes);

/* From now on mm_host_check_stores finds bytes of NVM that changed without having been announced. */
bool mm_host_guard_stores(void);
/* Address of such a byte; -1: none, all announced bytes are taken as known. */
int64_t mm_host_check_stores(void);

/* Set by any store callback: the application was compiled with them. Always true in bus mode. */
extern bool mm_host_sees_stores;

/* ---- Inputs and outputs (mm_host_port.c) ---- */
extern const uint8_t* mm_host_inputs; /* mm_host_inferences times all inputs of an inference, concatenated */
extern uint32_t mm_host_inferences;   /* how many the world has to offer */
uint32_t mm_host_total_input_bytes(void);
uint32_t mm_host_total_output_bytes(void);
uint32_t mm_host_output_at(unsigned index); /* offset of an output among an inference's outputs */

/* Maps a whole file for reading. NULL: says why on stderr. */
const uint8_t* mm_host_map_file(const char* path, size_t* bytes);

/* ---- What is called at write units, events and outputs; set by whoever runs a life ---- */
typedef struct mm_host_hooks {
    void (*unit)(uint32_t address, uint32_t bytes);
    void (*event)(mm_event_t event, mm_task_id_t task);
    void (*hand_over)(uint32_t sequence, unsigned index, const void* from, uint32_t bytes);
    void (*fatal)(mm_status_t status, mm_task_id_t task); /* may return: the process then ends */
} mm_host_hooks_t;
extern mm_host_hooks_t mm_host_hooks;

#endif

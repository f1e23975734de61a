/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The Metamorph runtime: a chain of tasks of which each either commits or never happened, whatever power does.
 *
 * An application is a table of tasks. The runtime finds the active commit record in non-volatile memory (NVM), fetches what
 * the record's task needs into SRAM, runs it, writes what it leaves to homes that none of its inputs occupies, and then
 * flips ONE commit record (two slots; the active one is never written). runtime/DESIGN.md says why; runtime/SPEC.md
 * gives the bits. The application table is generated; a program calls only mm_run.
 */
#ifndef METAMORPH_MM_RUNTIME_H
#define METAMORPH_MM_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Position in mm_app_t.tasks. Tasks are numbered in the order of the chain. */
typedef uint16_t mm_task_id_t;

/* Returned by a task instead of its successor: nothing to do now (no input yet). Nothing is committed; mm_run returns
 * MM_STATUS_IDLE, and calling it again resumes at this task. */
#define MM_TASK_IDLE ((mm_task_id_t)0xFFFFu)
/* Returned by the last task of an inference: commit, count the inference, go on with task 0. */
#define MM_TASK_DONE ((mm_task_id_t)0xFFFEu)

typedef enum mm_status {
    MM_STATUS_OK = 0,
    MM_STATUS_IDLE = 1,         /* no input; call mm_run again when there may be one */
    MM_STATUS_NO_PROGRESS = 2,  /* MM_ATTEMPTS_MAX boots resumed at the same task, and it never committed */
    MM_STATUS_NVM_ERROR = 3,    /* the port's memory does not answer, or has the wrong size: mm_port_open said so */
    MM_STATUS_BAD_TABLE = 4     /* the application's table contradicts itself (a home out of range …) */
} mm_status_t;

/* mm_transfer_t.buffer of a variable that is not double-buffered. */
#define MM_BUFFER_NONE 0xFFu
/* mm_transfer_t.since: fetch in every boot and every time. */
#define MM_FETCH_ALWAYS ((int16_t)-1)

/* Bytes that move between an NVM home and SRAM. */
typedef struct mm_transfer {
    uint32_t home;  /* byte address in the application's NVM; of copy 0, if double-buffered */
    void *sram;     /* where the task works on it */
    uint32_t bytes;
    int16_t since;  /* fetch only: the last task before this one that left the same bytes in SRAM. They are fetched only if
                       this boot resumed the inference at a later task (since < resumed-at). Commit: 0 */
    uint8_t buffer; /* index of the double-buffered variable (bit of the record's selectors), or MM_BUFFER_NONE. Copy 1 is
                       at home + stride */
    uint32_t stride; /* distance of the two copies; 0 if not double-buffered */
} mm_transfer_t;

/* A task: reads what `fetch` lists and NVM homes in place, works, returns its successor. Running it again from the start
 * must be safe, any number of times, until its commit: it writes no byte of NVM that it or its re-execution reads. */
typedef struct mm_task {
    mm_task_id_t (*run)(void);
    const mm_transfer_t *fetch;
    const mm_transfer_t *commit;
    uint16_t fetch_count;
    uint16_t commit_count;
    uint32_t flips; /* double-buffered variables that this task rewrites: their selector bits flip with its commit */
} mm_task_t;

typedef struct mm_app {
    uint64_t build_id; /* hash of everything that gives NVM its meaning; another value in NVM means: start anew */
    uint32_t nvm_bytes; /* header (MM_NVM_HEADER_BYTES) and homes */
    uint16_t layout;    /* version of the NVM header's layout: MM_NVM_LAYOUT */
    uint16_t task_count;
    const mm_task_t *tasks;
    const mm_transfer_t *initial; /* variables that keep a value between inferences: at the first boot their SRAM image (as
                                     the C start-up code left it) is written to copy 0 before the first record */
    uint16_t initial_count;
} mm_app_t;

#define MM_NVM_LAYOUT 2u
/* NVM from byte 0: two record slots, a tally of boots for each; homes begin here. */
#define MM_NVM_HEADER_BYTES 128u
/* What one commit writes beside its data: unseal, body, tally, seal (runtime/SPEC.md). */
#define MM_COMMIT_RECORD_BYTES 34u

#ifndef MM_ATTEMPTS_MAX
#define MM_ATTEMPTS_MAX 8u /* boots that may resume the same commit before no-progress is reported; 3 to 254 */
#endif

/* Boots (once a power cycle, the first time it is called) and runs tasks until there is no input (MM_STATUS_IDLE) or an
 * error. Safe to be cut anywhere. */
mm_status_t mm_run(const mm_app_t *app);

/* How many inferences have been completed, as of the active record: the sequence number of the input that is being worked
 * on, and of the output that is handed over next. For tasks and ports. */
uint32_t mm_inference(void);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the processes of the cut driver share. All of it lies in shared memory, so it outlives each of them.
 *
 * A *commit* is counted from 0, the record of the first boot: its sequence number less 1.
 */
#ifndef METAMORPH_MM_HOST_CUT_STATE_H
#define METAMORPH_MM_HOST_CUT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../src/mm_record.h"
#include "mm_host.h"
#include "mm_host_cut.h"

typedef enum mm_unit_class {
    MM_UNIT_DATA,
    MM_UNIT_RECORD,
    MM_UNIT_ATTEMPT,
    MM_UNIT_FIRST_BOOT,
    MM_UNIT_CLASSES
} mm_unit_class_t;

typedef struct mm_unit {
    uint32_t address;
    uint8_t bytes;
    uint8_t unit_class;
    mm_task_id_t task;
} mm_unit_t;

/* How a life went wrong. Kinds are strings of the report; NULL: it did not. */
typedef struct mm_verdict {
    const char* kind;
    mm_task_id_t task;
    char detail[120];
} mm_verdict_t;

/* What the world outside the device knows; power cuts do not change it. */
typedef struct mm_world {
    int64_t handed;    /* inference * outputs + index of the latest output that was handed over; -1: none */
    int64_t committed; /* latest commit that was completed; -1: none */
    int64_t started;   /* commit after which the latest task was started; -1: none */
} mm_world_t;

/* What a process of one boot leaves behind. */
typedef struct mm_outcome {
    uint64_t units; /* announced in this boot */
    uint64_t
        units_matched; /* of them, until NVM first equalled the reference's at the same commit; UINT64_MAX: never */
    int64_t resumed;   /* commit that was resumed; -1: not got there */
    bool finished;     /* reached the end of all inferences */
    bool joined;       /* or ended early */
    uint32_t tasks_again;
    mm_verdict_t verdict;
} mm_outcome_t;

/* The uninterrupted life: written by its process, read by all others afterwards. */
typedef struct mm_reference {
    uint64_t units;
    uint64_t units_by_class[MM_UNIT_CLASSES];
    uint64_t bytes_by_class[MM_UNIT_CLASSES];
    int64_t commits;     /* snapshots there are */
    int64_t commits_max; /* and may be: each task once an inference */
    bool sees_stores;
    bool will_be_cut; /* else units and snapshots are counted, not kept: inferences may be many */
    mm_world_t world;
    mm_outcome_t outcome;
} mm_reference_t;
extern mm_reference_t* mm_reference;
extern mm_unit_t* mm_reference_log;  /* a unit each */
extern uint8_t* mm_reference_nvm;    /* a whole NVM after each commit */
extern int64_t* mm_reference_handed; /* mm_world_t.handed after each commit */
extern uint64_t* mm_reference_bytes; /* data and record bytes of each inference, in turn */
extern uint8_t* mm_expected;         /* all outputs of all inferences */
extern bool mm_expected_given;       /* by --expect; else the reference life writes them */

#define MM_UNITS_MAX ((uint64_t)1 << 28)

typedef struct mm_wrong {
    int64_t unit, second; /* second: -1 for none; unit: -1 for the uninterrupted life */
    mm_verdict_t verdict;
} mm_wrong_t;

#define MM_WRONG_MAX 20

/* One worker's state and findings. */
typedef struct mm_worker {
    mm_world_t world;
    mm_outcome_t outcome;
    uint64_t cuts_done, seconds_done, reboots, joined, tasks_again, wrong_count;
    uint64_t recovery_units; /* of the first recovery, in a replay */
    bool misses_second;      /* and they are too few for the second cut that is to be replayed */
    bool life_failed;        /* the uninterrupted one, run again */
    uint32_t wrongs;
    mm_wrong_t wrong[MM_WRONG_MAX];
} mm_worker_t;

/* Zeroed memory that forked processes share; pages that nobody touches cost nothing. Ends the program if refused. */
void* mm_share(uint64_t bytes);

/* ---- Lives (mm_host_life.c); each runs in a process of its own and does not return ---- */
_Noreturn void mm_live_reference(void);
/* Stops before each unit that `due` (of units + 1 bytes) marks, ordinals `job` modulo `jobs`: a copy of the process
 * dies there, the unit's number goes to `to_driver`, and life goes on after a byte from `from_driver`. */
_Noreturn void mm_live_with_stops(mm_worker_t* worker, const uint8_t* due, unsigned job, unsigned jobs, int to_driver,
                                  int from_driver);
/* `proven` (a byte a commit): recoveries that resume there may end early. `cut_at`: dies at this unit; UINT64_MAX:
 * lives. */
_Noreturn void mm_live_recovery(mm_worker_t* worker, const uint8_t* proven, uint64_t cut_at, unsigned timeout_seconds);

/* ---- Which cuts, and when (mm_host_choose.c); `planned`, `due`: a byte a cut ---- */
enum {
    MM_CUT_NONE,
    MM_CUT_PLANNED,
    MM_CUT_FIRST, /* planned, and before all others */
    MM_CUT_TAKEN, /* planned, and was due in this round or before; of those that come first: */
    MM_CUT_FIRST_TAKEN
};
/* Plans all cuts at significant units, which come first, and others evenly until `most` are planned. */
void mm_choose_cuts(uint8_t* planned, uint64_t most);
/* Makes due: of the planned cuts that never were, all that come first, and `most` of the others, spread evenly. How
 * many are due. */
uint64_t mm_make_due(uint8_t* due, uint8_t* planned, uint64_t most);
uint64_t mm_count_planned(const uint8_t* planned);
uint64_t mm_count_first(const uint8_t* planned);

/* ---- Report (mm_host_report.c) ---- */
typedef struct mm_report {
    const mm_worker_t* workers;
    unsigned jobs;
    uint64_t cuts_planned, first_planned;
    double seconds;
} mm_report_t;
void mm_print_report(const mm_report_t* report);
uint64_t mm_count_wrong(const mm_report_t* report);

#endif

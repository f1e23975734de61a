/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Boot, dispatch and commit.
 *
 * Invariant, at every instant from the first record on: exactly one slot holds the newest valid record, and every byte
 * of NVM that re-executing its task reads is as that record's commit left it. Three rules keep it:
 *   1. a commit writes its data to homes that its task does not read (or to the other copy of a double-buffered
 *      variable);
 *   2. the record is written to the slot that is not active, and sealed when data and record are durable;
 *   3. that slot is invalid by construction from the first byte of the record to the last of the seal (mm_record.h).
 * Between two barriers writes may become durable in any order. So there is one behind every unsealing, one before every
 * sealing and one behind it, and none that could be left out: tests/commit_test takes each away and sees it missed.
 * Rejected designs: runtime/DESIGN.md.
 *
 * No function of the C library is called, nothing is allocated. The state below is all RAM that the runtime has.
 */
#include <stddef.h>

#include "metamorph/mm_port.h"
#include "metamorph/mm_runtime.h"
#include "mm_record.h"
#include "mm_table.h"

static struct {
    const mm_app_t* app;     /* NULL until this power cycle's boot is complete */
    mm_record_t record;      /* the active one */
    uint32_t slot;           /* where it is */
    uint32_t attempts;       /* boots that resumed at it, this one included; 0 as soon as this boot has committed */
    uint32_t seal_begun;     /* mm_seal_begin of the application's build id */
    mm_task_id_t resumed_at; /* of this inference's tasks, those before ran in an earlier boot: their SRAM is gone */
} mm_state;

uint32_t mm_inference(void) {
    return mm_state.record.inference;
}

static void mm_check_port(mm_status_t status) {
    if (status != MM_STATUS_OK) {
        mm_port_fatal(status, mm_state.record.task);
    }
}

static void mm_read_nvm(uint32_t address, void* to, uint32_t bytes) {
    mm_check_port(mm_port_nvm_read(address, to, bytes));
}

static void mm_write_nvm(uint32_t address, const void* from, uint32_t bytes) {
    mm_check_port(mm_port_nvm_write(address, from, bytes));
}

static void mm_await_writes(void) {
    mm_check_port(mm_port_nvm_barrier());
}

static uint32_t mm_slot_at(uint32_t slot) {
    return slot * MM_SLOT_BYTES;
}

static uint32_t mm_read_seal(uint32_t slot) {
    uint32_t seal = MM_SEAL_NONE;
    mm_read_nvm(mm_slot_at(slot), &seal, MM_SEAL_BYTES);
    return seal;
}

static void mm_write_seal(uint32_t slot, uint32_t seal) {
    mm_write_nvm(mm_slot_at(slot), &seal, MM_SEAL_BYTES);
    mm_await_writes();
}

/* A seal that is none is not written again: if that write tore into noise, the noise would be the seal of whatever the
 * body holds, which may be half a record. */
static void mm_unseal(uint32_t slot) {
    if (mm_read_seal(slot) != MM_SEAL_NONE) {
        mm_write_seal(slot, MM_SEAL_NONE);
    }
}

static void mm_write_tally(uint32_t slot, uint8_t boots) {
    const uint8_t check = (uint8_t)~boots;
    mm_write_nvm(MM_TALLIES_AT + slot, &boots, 1);
    mm_write_nvm(MM_CHECKS_AT + slot, &check, 1);
    mm_await_writes();
}

static uint8_t mm_read_tally(uint32_t slot) {
    uint8_t boots = 0;
    uint8_t check = 0;
    mm_read_nvm(MM_TALLIES_AT + slot, &boots, 1);
    mm_read_nvm(MM_CHECKS_AT + slot, &check, 1);
    /* Units that were lost in two cuts, one as ones and one as zeros, agree, too: on a count that none reaches. */
    return (boots ^ check) == 0xFFu && boots <= MM_TALLY_MAX ? boots : 0u;
}

/* Once this boot has committed, the slot that is not active is that of the record before: sealed, which need not be read. */
static void mm_write_record(uint32_t slot) {
    if (mm_state.attempts == 0u) {
        mm_write_seal(slot, MM_SEAL_NONE);
    } else {
        mm_unseal(slot);
    }
    mm_write_nvm(mm_slot_at(slot) + MM_SLOT_BODY_AT, &mm_state.record, sizeof mm_state.record);
    mm_write_tally(slot, 0);
    mm_write_seal(slot, mm_seal_end(mm_state.seal_begun, &mm_state.record));
    mm_state.slot = slot;
}

/* Whether the slot's seal fits, whichever build's record it is. */
static bool mm_read_record(uint32_t slot, mm_record_t* record) {
    const uint32_t seal = mm_read_seal(slot);
    if (seal == MM_SEAL_NONE) {
        return false; /* the body may be anything: it is not even read */
    }
    mm_read_nvm(mm_slot_at(slot) + MM_SLOT_BODY_AT, record, sizeof *record);
    return seal == mm_seal_of(record);
}

/* Member by member: of a whole structure, compilers make a call of memcpy. */
static void mm_take_record(const mm_record_t* record) {
    mm_state.record.build_id = record->build_id;
    mm_state.record.sequence = record->sequence;
    mm_state.record.inference = record->inference;
    mm_state.record.selectors = record->selectors;
    mm_state.record.task = record->task;
    mm_state.record.layout = record->layout;
}

/* The newest record becomes the state's, with its slot. False: it is not this build's. Then an older one that is must
 * not be gone on from either: homes that it needs may have been overwritten since. What a cut left of the other slot's
 * seal is wiped at once: all boots that follow find the same. */
static bool mm_find_record(const mm_app_t* app) {
    uint32_t sealed = 0;
    mm_state.slot = 0;
    for (uint32_t slot = 0; slot < MM_SLOT_COUNT; slot++) {
        mm_record_t found;
        if (mm_read_record(slot, &found)) {
            if (sealed == 0u || mm_follows(found.sequence, mm_state.record.sequence)) {
                mm_state.slot = slot;
                mm_take_record(&found);
            }
            sealed++;
        }
    }
    if (sealed == 0u || mm_state.record.build_id != app->build_id || mm_state.record.layout != app->layout ||
        mm_state.record.task >= app->task_count) {
        return false;
    }
    if (sealed < MM_SLOT_COUNT) {
        mm_unseal(1u - mm_state.slot);
    }
    return true;
}

/* Starts anew from any content. The older record is invalidated before the newer: if power is lost between the two and
 * the build that wrote them comes back, it must find its newest, or none. Until the first record is sealed no slot is
 * valid. */
static void mm_start_anew(const mm_app_t* app) {
    mm_unseal(1u - mm_state.slot);
    mm_unseal(mm_state.slot);
    for (uint32_t i = 0; i < app->initial_count; i++) {
        mm_write_nvm(app->initial[i].home, app->initial[i].sram, app->initial[i].bytes);
    }
    mm_state.record.build_id = app->build_id;
    mm_state.record.sequence = 1;
    mm_state.record.inference = 0;
    mm_state.record.selectors = 0;
    mm_state.record.task = 0;
    mm_state.record.layout = app->layout;
    mm_write_record(0);
}

/* A cut between the two bytes loses the count, and the next boots count anew: late, never false. */
static void mm_count_attempt(void) {
    mm_state.attempts = mm_read_tally(mm_state.slot);
    if (mm_state.attempts < MM_TALLY_MAX) {
        mm_state.attempts++;
    }
    mm_write_tally(mm_state.slot, (uint8_t)mm_state.attempts);
}

static mm_status_t mm_boot(const mm_app_t* app) {
    mm_state.record.task = 0;
    mm_state.attempts = 1;
    mm_state.seal_begun = mm_seal_begin(app->build_id);
    const mm_status_t status = mm_port_open(app->nvm_bytes);
    if (status != MM_STATUS_OK) {
        return status;
    }
    /* A record of this build says that an earlier boot found the table right: only a first boot looks at it. */
    if (!mm_find_record(app)) {
        if (!mm_table_valid(app)) {
            return MM_STATUS_BAD_TABLE;
        }
        mm_state.record.task = 0;
        mm_port_event(MM_EVENT_FIRST_BOOT, 0);
        mm_start_anew(app);
    }
    mm_port_event(MM_EVENT_BOOT, mm_state.record.task);
    mm_count_attempt();
    mm_port_restore_peripherals();
    if (mm_state.attempts > MM_ATTEMPTS_MAX && !mm_port_no_progress(mm_state.record.task, mm_state.attempts - 1u)) {
        return MM_STATUS_NO_PROGRESS;
    }
    mm_state.resumed_at = mm_state.record.task;
    mm_state.app = app;
    return MM_STATUS_OK;
}

static bool mm_copy_one_is_live(const mm_transfer_t* transfer) {
    return transfer->buffer != MM_BUFFER_NONE && (mm_state.record.selectors >> transfer->buffer & 1u) != 0u;
}

static void mm_fetch_inputs(const mm_task_t* task) {
    for (uint32_t i = 0; i < task->fetch_count; i++) {
        const mm_transfer_t* fetch = &task->fetch[i];
        if (fetch->since < (int32_t)mm_state.resumed_at) {
            const uint32_t live = mm_copy_one_is_live(fetch) ? fetch->home + fetch->stride : fetch->home;
            mm_read_nvm(live, fetch->sram, fetch->bytes);
        }
    }
}

/* What the task left goes to NVM, and then the record says so: before its seal, the task never happened. */
static void mm_commit_task(const mm_task_t* task, mm_task_id_t next) {
    const mm_task_id_t id = mm_state.record.task;
    mm_port_event(MM_EVENT_COMMIT_START, id);
    for (uint32_t i = 0; i < task->commit_count; i++) {
        const mm_transfer_t* commit = &task->commit[i];
        const bool to_copy_one = commit->buffer != MM_BUFFER_NONE && !mm_copy_one_is_live(commit);
        mm_write_nvm(to_copy_one ? commit->home + commit->stride : commit->home, commit->sram, commit->bytes);
    }

    mm_port_event(MM_EVENT_RECORD_START, id);
    mm_state.record.sequence++;
    mm_state.record.selectors ^= task->flips;
    if (next == MM_TASK_DONE) {
        mm_state.record.inference++;
        mm_state.record.task = 0;
        mm_state.resumed_at = 0;
    } else {
        mm_state.record.task = next;
    }
    mm_write_record(1u - mm_state.slot);
    mm_state.attempts = 0;
    mm_port_event(MM_EVENT_COMMIT_DONE, id);
}

/* Waiting is not failing: however many boots find no input, they do not add up to no-progress. One boot alone needs no
 * write, so a device that stays on never wears the tally out by waiting. */
static void mm_note_idle(void) {
    if (mm_state.attempts > 1u) {
        mm_write_tally(mm_state.slot, 0);
        mm_state.attempts = 1; /* not 0: nothing has been committed */
    }
    mm_state.resumed_at = mm_state.record.task; /* the task may have changed its SRAM copies: fetch them again */
}

mm_status_t mm_run(const mm_app_t* app) {
    if (mm_state.app != app) {
        mm_state.app = NULL;
        const mm_status_t status = mm_boot(app);
        if (status != MM_STATUS_OK) {
            return status;
        }
    }
    for (;;) {
        const mm_task_t* task = &app->tasks[mm_state.record.task];
        mm_port_event(MM_EVENT_TASK_START, mm_state.record.task);
        mm_fetch_inputs(task);
        const mm_task_id_t next = task->run();
        if (next == MM_TASK_IDLE) {
            mm_note_idle();
            return MM_STATUS_IDLE;
        }
        if (next != MM_TASK_DONE && next >= app->task_count) {
            mm_port_fatal(MM_STATUS_BAD_TABLE, mm_state.record.task);
        }
        mm_commit_task(task, next);
    }
}

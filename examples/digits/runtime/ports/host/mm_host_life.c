/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lives that a cut run compares. All run the same mm_run from the same pristine process image; they differ in what
 * they do at write units, events and outputs:
 *   reference  runs undisturbed and writes everything down;
 *   stopping   does the same again, and lets a copy of itself die at each due unit;
 *   recovery   boots on what a death left behind, and is checked.
 *
 * A recovery is checked for: the commit that it resumes (never one behind a commit that had completed; the record
 * equals the reference's), outputs (bytes, order, no gap; only the latest may come again), its end (all outputs there),
 * a time limit. It may end early when all homes and the active record equal the reference's at the same commit. That
 * alone would miss a value that the *next* tasks expect in SRAM and that this boot never fetched. What is fetched
 * depends only on where a boot resumed, so the first recovery that resumes at each commit always runs to the end; only
 * then later ones may stop.
 */
#define _GNU_SOURCE /* kill, alarm */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mm_host_cut_state.h"

static struct {
    mm_world_t* world;
    mm_outcome_t* outcome;
    const uint8_t* proven;
    uint64_t cut_at;
    const uint8_t* due;
    uint64_t ordinal;
    unsigned job, jobs;
    int to_driver, from_driver;
    int64_t commit; /* the active record's; -1: none yet */
    mm_task_id_t task;
    bool in_first_boot, in_record;
    uint32_t inference;
    int64_t started_before; /* mm_world_t.started when this boot began */
} mm_life;

static _Noreturn void mm_fail(const char* kind, const char* detail) {
    mm_verdict_t* verdict = &mm_life.outcome->verdict;
    verdict->kind = kind;
    verdict->task = mm_life.task;
    snprintf(verdict->detail, sizeof verdict->detail, "%s", detail);
    _exit(MM_HOST_EXIT_FAILED_CHECK);
}

static void mm_fail_fatal(mm_status_t status, mm_task_id_t task) {
    char detail[80];
    mm_life.task = task;
    snprintf(detail, sizeof detail, "mm_port_fatal was called with status %d", (int)status);
    mm_fail("crash", detail);
}

static bool mm_active_record(const uint8_t* nvm, mm_record_t* active) {
    bool found = false;
    for (uint32_t slot = 0; slot < MM_SLOT_COUNT; slot++) {
        uint32_t seal;
        mm_record_t record;
        memcpy(&seal, nvm + slot * MM_SLOT_BYTES, sizeof seal);
        memcpy(&record, nvm + slot * MM_SLOT_BYTES + MM_SLOT_BODY_AT, sizeof record);
        if (seal == mm_seal_of(&record) && record.build_id == mm_host_app.app->build_id &&
            record.layout == mm_host_app.app->layout && (!found || mm_follows(record.sequence, active->sequence))) {
            *active = record;
            found = true;
        }
    }
    return found;
}

static const uint8_t* mm_snapshot(int64_t commit) {
    return mm_reference_nvm + (uint64_t)commit * mm_host_nvm_bytes;
}

static bool mm_equals_reference(int64_t commit) {
    mm_record_t mine, its;
    const uint8_t* snapshot = mm_snapshot(commit);
    return mm_active_record(mm_host_nvm, &mine) && mm_active_record(snapshot, &its) &&
           memcmp(&mine, &its, sizeof mine) == 0 &&
           memcmp(mm_host_nvm + MM_NVM_HEADER_BYTES, snapshot + MM_NVM_HEADER_BYTES,
                  mm_host_nvm_bytes - MM_NVM_HEADER_BYTES) == 0;
}

/* ---- What all lives do at an event ---- */

static void mm_follow_event(mm_event_t event, mm_task_id_t task) {
    mm_life.task = task;
    switch (event) {
        case MM_EVENT_FIRST_BOOT:
            mm_life.in_first_boot = true;
            break;
        case MM_EVENT_BOOT: {
            mm_record_t record;
            mm_life.in_first_boot = false;
            mm_life.commit = mm_active_record(mm_host_nvm, &record) ? (int64_t)record.sequence - 1 : -1;
            break;
        }
        case MM_EVENT_TASK_START:
            mm_life.world->started = mm_life.commit;
            break;
        case MM_EVENT_RECORD_START:
            mm_life.in_record = true;
            break;
        case MM_EVENT_COMMIT_DONE:
            mm_life.in_record = false;
            mm_life.commit++;
            break;
        default:
            break;
    }
    const bool committed = event == MM_EVENT_BOOT || event == MM_EVENT_COMMIT_DONE;
    if (committed && mm_life.commit > mm_life.world->committed) {
        mm_life.world->committed = mm_life.commit;
    }
}

static int64_t mm_output_position(uint32_t sequence, unsigned index) {
    return (int64_t)sequence * mm_host_app.output_count + index;
}

/* Outputs come in order, each at least once; only those of the latest inference may come again. */
static void mm_follow_output(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    char detail[100];
    const int64_t position = mm_output_position(sequence, index);
    const int64_t latest = mm_life.world->handed;
    const bool again = position <= latest && position / mm_host_app.output_count == latest / mm_host_app.output_count;
    if (sequence >= mm_host_inferences || (position != latest + 1 && !again)) {
        snprintf(detail, sizeof detail, "output %u of inference %u came after number %lld", index, sequence,
                 (long long)latest);
        mm_fail("output order", detail);
    }
    const size_t at = (size_t)sequence * mm_host_total_output_bytes() + mm_host_output_at(index);
    const uint8_t* got = from;
    for (uint32_t i = 0; i < bytes; i++) {
        if (got[i] != mm_expected[at + i]) {
            snprintf(detail, sizeof detail, "inference %u, output %u, byte %u is 0x%02x, not 0x%02x", sequence, index,
                     i, got[i], mm_expected[at + i]);
            mm_fail("wrong output", detail);
        }
    }
    if (position > latest) {
        mm_life.world->handed = position;
    }
}

static void mm_begin_life(mm_world_t* world, mm_outcome_t* outcome) {
    mm_life.world = world;
    mm_life.outcome = outcome;
    mm_life.commit = -1;
    mm_life.started_before = world->started;
    mm_host_hooks.fatal = mm_fail_fatal;
    mm_host_hooks.hand_over = mm_follow_output;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void mm_live_to_the_end(void) {
    char detail[100];
    const mm_status_t status = mm_run(mm_host_app.app);
    if (status != MM_STATUS_IDLE) {
        snprintf(detail, sizeof detail, "mm_run returned status %d", (int)status);
        mm_fail("crash", detail);
    }
    const int64_t handed = mm_output_position(mm_host_inferences, 0) - 1;
    if (mm_inference() != mm_host_inferences || mm_life.world->handed != handed) {
        snprintf(detail, sizeof detail, "ended after %u of %u inferences and %lld of %lld outputs", mm_inference(),
                 mm_host_inferences, (long long)mm_life.world->handed + 1, (long long)handed + 1);
        mm_fail("output order", detail);
    }
}

/* ---- Reference ---- */

static void mm_log_unit(uint32_t address, uint32_t bytes) {
    mm_unit_class_t unit_class = MM_UNIT_DATA;
    if (mm_life.in_first_boot) {
        unit_class = MM_UNIT_FIRST_BOOT;
    } else if (mm_life.in_record) {
        unit_class = MM_UNIT_RECORD;
    } else if (address < MM_NVM_HEADER_BYTES) {
        unit_class = MM_UNIT_ATTEMPT;
    }
    if (mm_reference->will_be_cut) {
        if (mm_reference->units == MM_UNITS_MAX) {
            mm_fail("crash", "more write units than can be logged");
        }
        mm_reference_log[mm_reference->units] = (mm_unit_t){address, (uint8_t)bytes, (uint8_t)unit_class, mm_life.task};
    }
    mm_reference->units++;
    mm_reference->units_by_class[unit_class]++;
    mm_reference->bytes_by_class[unit_class] += bytes;
    if (mm_life.inference < mm_host_inferences && unit_class <= MM_UNIT_RECORD) {
        mm_reference_bytes[2 * mm_life.inference + (uint32_t)unit_class] += bytes;
    }
}

static void mm_log_event(mm_event_t event, mm_task_id_t task) {
    char detail[60];
    mm_follow_event(event, task);
    const int64_t unseen = mm_host_sees_stores ? mm_host_check_stores() : -1;
    if (unseen >= 0) {
        snprintf(detail, sizeof detail, "store not seen at offset %lld", (long long)unseen);
        mm_fail("unseen store", detail);
    }
    if (event != MM_EVENT_BOOT && event != MM_EVENT_COMMIT_DONE) {
        return;
    }
    if (mm_life.commit != mm_reference->commits || mm_life.commit == mm_reference->commits_max) {
        mm_fail("wrong record", "a boot or commit did not leave a valid record with the next sequence number");
    }
    if (mm_reference->will_be_cut) {
        memcpy((uint8_t*)(uintptr_t)mm_snapshot(mm_life.commit), mm_host_nvm, mm_host_nvm_bytes);
        mm_reference_handed[mm_life.commit] = mm_life.world->handed;
    }
    mm_reference->commits++;
    mm_life.inference = mm_inference();
}

static void mm_log_output(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    if (!mm_expected_given && sequence < mm_host_inferences) {
        memcpy(mm_expected + (size_t)sequence * mm_host_total_output_bytes() + mm_host_output_at(index), from, bytes);
    }
    mm_follow_output(sequence, index, from, bytes);
}

void mm_live_reference(void) {
    mm_begin_life(&mm_reference->world, &mm_reference->outcome);
    mm_host_hooks.unit = mm_log_unit;
    mm_host_hooks.event = mm_log_event;
    mm_host_hooks.hand_over = mm_log_output;
    if (!mm_host_guard_stores()) {
        _exit(MM_HOST_EXIT_FATAL);
    }
    mm_live_to_the_end();
    mm_reference->sees_stores = mm_host_sees_stores;
    mm_reference->outcome.finished = true;
    _exit(MM_HOST_EXIT_DONE);
}

/* ---- Stopping ---- */

static void mm_die_here(uint64_t unit) {
    const pid_t copy = fork();
    if (copy == 0) {
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    uint8_t go_on = 0;
    if (copy < 0 || waitpid(copy, &status, 0) != copy || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        mm_fail("crash", "the process could not be copied and killed");
    }
    if (write(mm_life.to_driver, &unit, sizeof unit) != (ssize_t)sizeof unit ||
        read(mm_life.from_driver, &go_on, 1) != 1) {
        _exit(MM_HOST_EXIT_FATAL);
    }
}

static void mm_stop_at_unit(uint32_t address, uint32_t bytes) {
    (void)address;
    (void)bytes;
    const uint64_t unit = mm_life.outcome->units;
    if (unit <= mm_reference->units && mm_life.due[unit] != 0 && mm_life.ordinal++ % mm_life.jobs == mm_life.job) {
        mm_outcome_t before = *mm_life.outcome; /* recoveries use the same one */
        mm_die_here(unit);
        *mm_life.outcome = before;
    }
    mm_life.outcome->units++;
}

void mm_live_with_stops(mm_worker_t* worker, const uint8_t* due, unsigned job, unsigned jobs, int to_driver,
                        int from_driver) {
    mm_begin_life(&worker->world, &worker->outcome);
    mm_life.due = due;
    mm_life.job = job;
    mm_life.jobs = jobs;
    mm_life.to_driver = to_driver;
    mm_life.from_driver = from_driver;
    mm_host_hooks.unit = mm_stop_at_unit;
    mm_host_hooks.event = mm_follow_event;
    mm_live_to_the_end();
    if (mm_life.outcome->units != mm_reference->units) {
        mm_fail("crash", "running it again does not write the same units: it is not deterministic");
    }
    mm_stop_at_unit(0, 0); /* power fails while it waits for the next input */
    _exit(MM_HOST_EXIT_DONE);
}

/* ---- Recovery ---- */

static void mm_count_recovery_unit(uint32_t address, uint32_t bytes) {
    (void)address;
    (void)bytes;
    if (mm_life.outcome->units == mm_life.cut_at) {
        kill(getpid(), SIGKILL);
    }
    mm_life.outcome->units++;
}

static void mm_check_resumed_commit(void) {
    char detail[100];
    const int64_t committed = mm_life.world->committed; /* before this boot: called before it follows the event */
    mm_record_t record, its;
    const int64_t resumed = mm_active_record(mm_host_nvm, &record) ? (int64_t)record.sequence - 1 : -1;
    if (resumed < committed || (mm_life.in_first_boot && committed >= 0)) {
        snprintf(detail, sizeof detail, "commit %lld had completed; the boot %s %lld", (long long)committed,
                 mm_life.in_first_boot ? "started anew, commit" : "resumed at commit", (long long)resumed);
        mm_fail("lost progress", detail);
    }
    if (resumed > committed + 1 || resumed >= mm_reference->commits || !mm_active_record(mm_snapshot(resumed), &its) ||
        memcmp(&record, &its, sizeof record) != 0) {
        snprintf(detail, sizeof detail, "the record of commit %lld is not the uninterrupted run's", (long long)resumed);
        mm_fail("wrong record", detail);
    }
    mm_life.outcome->resumed = resumed;
}

static void mm_check_commit(void) {
    if (mm_life.commit >= mm_reference->commits) {
        mm_fail("wrong record", "more commits than in the uninterrupted run");
    }
    if (!mm_equals_reference(mm_life.commit) || mm_life.world->handed != mm_reference_handed[mm_life.commit]) {
        return;
    }
    if (mm_life.outcome->units_matched == UINT64_MAX) {
        mm_life.outcome->units_matched = mm_life.outcome->units;
    }
    if (mm_life.proven[mm_life.outcome->resumed] != 0 && mm_life.cut_at == UINT64_MAX) {
        mm_life.outcome->joined = true;
        _exit(MM_HOST_EXIT_DONE);
    }
}

static void mm_check_recovery_event(mm_event_t event, mm_task_id_t task) {
    mm_life.task = task;
    if (event == MM_EVENT_BOOT) {
        mm_check_resumed_commit();
    }
    if (event == MM_EVENT_TASK_START && mm_life.commit == mm_life.started_before) {
        mm_life.outcome->tasks_again++;
    }
    mm_follow_event(event, task);
    if (event == MM_EVENT_COMMIT_DONE) {
        mm_check_commit();
    }
}

void mm_live_recovery(mm_worker_t* worker, const uint8_t* proven, uint64_t cut_at, unsigned timeout_seconds) {
    mm_begin_life(&worker->world, &worker->outcome);
    mm_life.proven = proven;
    mm_life.cut_at = cut_at;
    mm_host_hooks.unit = mm_count_recovery_unit;
    mm_host_hooks.event = mm_check_recovery_event;
    alarm(timeout_seconds);
    mm_live_to_the_end();
    mm_life.outcome->finished = true;
    _exit(MM_HOST_EXIT_DONE);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A wrong table would write over the commit records or beyond the memory; it is refused at the first boot of a build, before any
 * write of it. What
 * needs knowledge of the tasks (does one write what it reads?) cannot be seen here: that is the weaver's to prove and
 * the power-cut run's to test.
 */
#include "mm_table.h"

#include <stddef.h>

static bool mm_transfer_valid(const mm_transfer_t* transfer, uint32_t nvm_bytes) {
    if (transfer->sram == NULL || transfer->bytes == 0u || transfer->bytes > nvm_bytes) {
        return false;
    }
    if (transfer->buffer == MM_BUFFER_NONE) {
        if (transfer->stride != 0u) {
            return false;
        }
    } else if (transfer->buffer >= 32u || transfer->stride < transfer->bytes) {
        return false;
    }
    const uint32_t last = nvm_bytes - transfer->bytes; /* home of copy 1 can be here at most */
    return transfer->stride <= last && transfer->home >= MM_NVM_HEADER_BYTES &&
           transfer->home <= last - transfer->stride;
}

static bool mm_task_valid(const mm_task_t* task, uint32_t id, uint32_t nvm_bytes) {
    if (task->run == NULL || (task->fetch_count != 0u && task->fetch == NULL) ||
        (task->commit_count != 0u && task->commit == NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < task->fetch_count; i++) {
        const mm_transfer_t* fetch = &task->fetch[i];
        if (!mm_transfer_valid(fetch, nvm_bytes) || fetch->since < MM_FETCH_ALWAYS || fetch->since >= (int32_t)id) {
            return false;
        }
    }
    for (uint32_t i = 0; i < task->commit_count; i++) {
        const mm_transfer_t* commit = &task->commit[i];
        if (!mm_transfer_valid(commit, nvm_bytes)) {
            return false;
        }
        /* Without the flip, the copy that re-execution reads would be written. */
        if (commit->buffer != MM_BUFFER_NONE && (task->flips >> commit->buffer & 1u) == 0u) {
            return false;
        }
    }
    return true;
}

bool mm_table_valid(const mm_app_t* app) {
    if (app->layout != MM_NVM_LAYOUT || app->nvm_bytes < MM_NVM_HEADER_BYTES || app->tasks == NULL ||
        app->task_count == 0u || app->task_count >= MM_TASK_DONE ||
        (app->initial_count != 0u && app->initial == NULL)) {
        return false;
    }
    for (uint32_t id = 0; id < app->task_count; id++) {
        if (!mm_task_valid(&app->tasks[id], id, app->nvm_bytes)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < app->initial_count; i++) {
        if (!mm_transfer_valid(&app->initial[i], app->nvm_bytes)) {
            return false;
        }
    }
    return true;
}

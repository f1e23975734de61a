/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions that the runtime asks of a port (metamorph/mm_port.h). Write order is program order, so the barrier has
 * nothing to wait for: on a host a missing barrier cannot be observed (the model checker in runtime/tests reorders).
 */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mm_host.h"

const uint8_t* mm_host_inputs = NULL;
uint32_t mm_host_inferences = 0;

static uint32_t mm_sum(const uint32_t* bytes, unsigned count) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += bytes[i];
    }
    return sum;
}

uint32_t mm_host_total_input_bytes(void) {
    return mm_sum(mm_host_app.input_bytes, mm_host_app.input_count);
}
uint32_t mm_host_total_output_bytes(void) {
    return mm_sum(mm_host_app.output_bytes, mm_host_app.output_count);
}
uint32_t mm_host_output_at(unsigned index) {
    return mm_sum(mm_host_app.output_bytes, index);
}

const uint8_t* mm_host_map_file(const char* path, size_t* bytes) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) {
        perror(path);
        return NULL;
    }
    *bytes = (size_t)status.st_size;
    static const uint8_t nothing = 0;
    void* at = *bytes == 0 ? NULL : mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (at == MAP_FAILED) {
        perror(path);
        return NULL;
    }
    return at == NULL ? &nothing : at;
}

mm_status_t mm_port_open(uint32_t nvm_bytes) {
    return mm_host_nvm != NULL && nvm_bytes <= mm_host_nvm_bytes ? MM_STATUS_OK : MM_STATUS_NVM_ERROR;
}

static bool mm_in_nvm(uint32_t address, uint32_t bytes) {
    return bytes <= mm_host_nvm_bytes && address <= mm_host_nvm_bytes - bytes;
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    if (!mm_in_nvm(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    mm_host_copy_bytes(to, mm_host_nvm + address, bytes);
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    if (!mm_in_nvm(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    mm_host_copy_bytes(mm_host_nvm + address, from, bytes);
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_barrier(void) {
    return MM_STATUS_OK;
}

void mm_port_restore_peripherals(void) {}

bool mm_port_take_input(uint32_t sequence, unsigned index, void* to, uint32_t bytes) {
    if (index >= mm_host_app.input_count || bytes != mm_host_app.input_bytes[index]) {
        fprintf(stderr, "input %u has no %u bytes\n", index, bytes);
        exit(MM_HOST_EXIT_FATAL);
    }
    if (sequence >= mm_host_inferences) {
        return false;
    }
    const size_t at = (size_t)sequence * mm_host_total_input_bytes() + mm_sum(mm_host_app.input_bytes, index);
    mm_host_copy_bytes(to, mm_host_inputs + at, bytes);
    return true;
}

void mm_port_hand_over(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    if (index >= mm_host_app.output_count || bytes != mm_host_app.output_bytes[index]) {
        fprintf(stderr, "output %u has no %u bytes\n", index, bytes);
        exit(MM_HOST_EXIT_FATAL);
    }
    mm_host_hooks.hand_over(sequence, index, from, bytes);
}

bool mm_port_no_progress(mm_task_id_t task, uint32_t attempts) {
    fprintf(stderr, "no progress: %u boots resumed at task %s and none committed it\n", attempts,
            mm_host_app.task_names[task]);
    return false;
}

void mm_port_fatal(mm_status_t status, mm_task_id_t task) {
    if (mm_host_hooks.fatal != NULL) {
        mm_host_hooks.fatal(status, task);
    }
    fprintf(stderr, "fatal: status %d in task %u\n", (int)status, (unsigned)task);
    _exit(MM_HOST_EXIT_FATAL);
}

void mm_port_event(mm_event_t event, mm_task_id_t task) {
    if (mm_host_hooks.event != NULL) {
        mm_host_hooks.event(event, task);
    }
}

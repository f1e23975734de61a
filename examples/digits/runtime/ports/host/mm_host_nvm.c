/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NVM as a file mapped MAP_SHARED: what was stored before a process died is there for the next one. In mapped mode the
 * mapping takes the place of mm_nvm[] (MAP_FIXED; the array has its pages to itself, MM_NVM_PAGE_BYTES), so that tasks
 * work on the file in place; in bus mode it lies elsewhere and no task knows where.
 *
 * The guard: stores that no callback announced (a libc memcpy, a structure copied by inlined moves) would be cuts that
 * were never tried, unnoticed. So announced bytes are remembered, and NVM is compared with its last known content at
 * every event: a byte that changed unannounced is an error, never a smaller claim.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mm_host.h"

uint8_t* mm_host_nvm = NULL;
uint32_t mm_host_nvm_bytes = 0;
mm_host_hooks_t mm_host_hooks;

#ifdef MM_PORT_MAPPED
extern uint8_t mm_nvm[];
bool mm_host_sees_stores = false;
#else
bool mm_host_sees_stores = true;
#endif

static uint8_t* mm_known = NULL;     /* NVM as of the last check */
static uint8_t* mm_announced = NULL; /* a byte each: may have changed since */

static size_t mm_whole_pages(uint32_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static bool mm_fill_from_file(const char* path, uint32_t bytes) {
    size_t have = 0;
    const uint8_t* from = mm_host_map_file(path, &have);
    if (from == NULL) {
        return false;
    }
    memset(mm_host_nvm, 0, bytes);
    memcpy(mm_host_nvm, from, have < bytes ? have : bytes);
    return true;
}

static bool mm_fill_nvm(const char* fill, uint32_t bytes) {
    if (fill == NULL) {
        return true;
    }
    if (strcmp(fill, "zeros") == 0 || strcmp(fill, "ones") == 0) {
        memset(mm_host_nvm, fill[0] == 'o' ? 0xFF : 0, bytes);
        return true;
    }
    if (strncmp(fill, "noise:", 6) != 0) {
        return mm_fill_from_file(fill, bytes);
    }
    uint64_t state = strtoull(fill + 6, NULL, 10) * 2 + 1;
    for (uint32_t i = 0; i < bytes; i++) { /* SplitMix64 */
        state += 0x9E3779B97F4A7C15u;
        uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        mm_host_nvm[i] = (uint8_t)(mixed >> 56);
    }
    return true;
}

bool mm_host_attach_nvm(const char* path, uint32_t bytes, const char* fill) {
    const size_t mapped = mm_whole_pages(bytes);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0 ||
        ((size_t)status.st_size != mapped && ftruncate(file, (off_t)mapped) != 0)) {
        perror(path);
        return false;
    }
    void* wanted = NULL;
    int flags = MAP_SHARED;
#ifdef MM_PORT_MAPPED
    wanted = mm_nvm;
    flags |= MAP_FIXED;
    if ((uintptr_t)wanted % (uintptr_t)sysconf(_SC_PAGESIZE) != 0) {
        fprintf(stderr, "mm_nvm does not begin at a page: compile everything with -DMM_NVM_PAGE_BYTES=4096\n");
        return false;
    }
#endif
    void* at = mmap(wanted, mapped, PROT_READ | PROT_WRITE, flags, file, 0);
    close(file);
    if (at == MAP_FAILED) {
        perror(path);
        return false;
    }
    mm_host_nvm = at;
    mm_host_nvm_bytes = bytes;
    return mm_fill_nvm(fill, bytes);
}

void mm_host_announce_unit(uint32_t address, uint32_t bytes) {
    if (mm_host_hooks.unit != NULL) {
        mm_host_hooks.unit(address, bytes);
    }
    if (mm_announced != NULL) {
        for (uint32_t i = 0; i < bytes; i++) {
            mm_announced[address + i] = 1;
        }
    }
}

void mm_host_copy_bytes(void* to, const void* from, uint32_t bytes) {
    volatile uint8_t* target = to; /* each byte is stored when its unit has been announced, not earlier or later */
    const uint8_t* source = from;
    const uintptr_t offset = (uintptr_t)to - (uintptr_t)mm_host_nvm;
    const bool in_nvm = offset < mm_host_nvm_bytes;
    for (uint32_t i = 0; i < bytes; i++) {
        if (in_nvm) {
            mm_host_announce_unit((uint32_t)offset + i, 1);
        }
        target[i] = source[i];
    }
}

void mm_host_copy_raw(void* to, const void* from, size_t bytes) {
    const size_t words = (((uintptr_t)to | (uintptr_t)from) % sizeof(uint64_t)) == 0 ? bytes / sizeof(uint64_t) : 0;
    volatile uint64_t* to_word = to; /* volatile: not a memcpy, which would be announced */
    const uint64_t* from_word = from;
    for (size_t i = 0; i < words; i++) {
        to_word[i] = from_word[i];
    }
    volatile uint8_t* to_byte = to;
    const uint8_t* from_byte = from;
    for (size_t i = words * sizeof(uint64_t); i < bytes; i++) {
        to_byte[i] = from_byte[i];
    }
}

bool mm_host_guard_stores(void) {
    mm_known = malloc(mm_host_nvm_bytes);
    mm_announced = calloc(mm_host_nvm_bytes, 1);
    if (mm_known == NULL || mm_announced == NULL) {
        return false;
    }
    memcpy(mm_known, mm_host_nvm, mm_host_nvm_bytes);
    return true;
}

int64_t mm_host_check_stores(void) {
    if (mm_announced == NULL) {
        return -1;
    }
    for (uint32_t i = 0; i < mm_host_nvm_bytes; i++) {
        if (mm_known[i] != mm_host_nvm[i] && mm_announced[i] == 0) {
            return i;
        }
    }
    memcpy(mm_known, mm_host_nvm, mm_host_nvm_bytes);
    memset(mm_announced, 0, mm_host_nvm_bytes);
    return -1;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of a port that reaches NVM where NVM is memory (FRAM or MRAM in the address space): `mm_nvm`, which the
 * linker script places at the start of that memory.
 *
 * Write order: ascending addresses, one store a byte, in program order: volatile stores are neither merged nor moved
 * across each other by a compiler. The write unit is therefore a byte for the program; a memory that writes wider words
 * (error correction over 4 or 8 bytes) may tear the whole word, and the record's layout bears that up to 16 bytes
 * (runtime/SPEC.md). Words would be faster; the homes that a task works on in place are not copied at all, so what goes
 * through here is little.
 */
#include "metamorph/mm_port.h"
#include "mm_barrier.h"

extern uint8_t mm_nvm[];
extern uint8_t mm_nvm_end[]; /* linker script: the first address behind the memory */

static bool mm_mapped_holds(uint32_t address, uint32_t bytes) {
    const uint32_t held = (uint32_t)((uintptr_t)mm_nvm_end - (uintptr_t)mm_nvm);
    return bytes <= held && address <= held - bytes;
}

mm_status_t mm_port_open(uint32_t nvm_bytes) {
    return mm_mapped_holds(0, nvm_bytes) ? MM_STATUS_OK : MM_STATUS_NVM_ERROR;
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    if (!mm_mapped_holds(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    const volatile uint8_t* from = mm_nvm + address;
    uint8_t* at = (uint8_t*)to;
    for (uint32_t i = 0; i < bytes; i++) {
        at[i] = from[i];
    }
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    if (!mm_mapped_holds(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    volatile uint8_t* to = mm_nvm + address;
    const uint8_t* at = (const uint8_t*)from;
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = at[i];
    }
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_barrier(void) {
    mm_write_barrier();
    return MM_STATUS_OK;
}

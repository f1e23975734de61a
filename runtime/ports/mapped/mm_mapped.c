/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of a port that reaches NVM where NVM is memory (FRAM or MRAM in the address space): `mm_nvm`, which the
 * linker script places at the start of that memory.
 *
 * Write order: ascending addresses, in program order: volatile stores are neither merged nor moved across each other by
 * a compiler. The write unit is a word where both addresses and the size are whole words, as those of records are, else
 * a byte. A cut may tear a word, and a memory that writes wider ones (error correction over 8 bytes) those: the
 * record's layout bears up to 16 bytes (runtime/SPEC.md).
 */
#include "metamorph/mm_port.h"
#include "mm_barrier.h"

extern uint8_t mm_nvm[];
extern uint8_t mm_nvm_end[]; /* linker script: the first address behind the memory */

/* Compared as addresses: that takes so few registers that none need be saved, in what each commit calls five times. */
static bool mm_mapped_holds(uint32_t address, uint32_t bytes) {
    const uintptr_t at = (uintptr_t)mm_nvm + address;
    const uintptr_t end = (uintptr_t)mm_nvm_end;
    return at >= address && at <= end && bytes <= end - at;
}

__attribute__((always_inline)) static inline bool mm_mapped_is_words(const volatile uint8_t* a, const volatile uint8_t* b, uint32_t bytes) {
    return (((uintptr_t)a | (uintptr_t)b | bytes) & 3u) == 0u;
}

__attribute__((always_inline)) static inline void mm_mapped_copy(volatile uint8_t* to, const volatile uint8_t* from, uint32_t bytes) {
    if (mm_mapped_is_words(to, from, bytes)) {
        volatile uint32_t* words = (volatile uint32_t*)(volatile void*)to;
        const volatile uint32_t* source = (const volatile uint32_t*)(const volatile void*)from;
        for (uint32_t i = 0; i < bytes / 4u; i++) {
            words[i] = source[i];
        }
    } else {
        for (uint32_t i = 0; i < bytes; i++) {
            to[i] = from[i];
        }
    }
}

mm_status_t mm_port_open(uint32_t nvm_bytes) {
    return mm_mapped_holds(0, nvm_bytes) ? MM_STATUS_OK : MM_STATUS_NVM_ERROR;
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    if (!mm_mapped_holds(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    mm_mapped_copy((volatile uint8_t*)to, mm_nvm + address, bytes);
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    if (!mm_mapped_holds(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    mm_mapped_copy(mm_nvm + address, (const volatile uint8_t*)from, bytes);
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_barrier(void) {
    mm_write_barrier();
    return MM_STATUS_OK;
}

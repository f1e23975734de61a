/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NVM in the address space (FRAM, MRAM): mm_nvm[], which the linker script puts there. Words are written as words where
 * both sides are aligned, else byte by byte, in ascending order; a write unit is what one store writes.
 */
#include "metamorph/mm_port.h"

extern uint8_t mm_nvm[];

mm_status_t mm_port_open(uint32_t nvm_bytes) {
    extern uint8_t mm_nvm_size[]; /* its address is the size: the linker script says how much there is */
    return nvm_bytes <= (uint32_t)(uintptr_t)mm_nvm_size ? MM_STATUS_OK : MM_STATUS_NVM_ERROR;
}

/* Volatile: no store may be left out, merged or moved. */
static void mm_copy(volatile uint8_t* to, const volatile uint8_t* from, uint32_t bytes) {
    if ((((uintptr_t)to | (uintptr_t)from) & 3u) == 0u) {
        for (; bytes >= 4u; bytes -= 4u, to += 4, from += 4) {
            *(volatile uint32_t*)(volatile void*)to = *(const volatile uint32_t*)(const volatile void*)from;
        }
    }
    while (bytes-- != 0u) {
        *to++ = *from++;
    }
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    mm_copy((volatile uint8_t*)to, mm_nvm + address, bytes);
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    mm_copy(mm_nvm + address, (const volatile uint8_t*)from, bytes);
    return MM_STATUS_OK;
}

/* Stores to strongly ordered or device memory are in order; a write buffer is drained here. */
mm_status_t mm_port_nvm_barrier(void) {
#if defined(__arm__)
    __asm__ volatile("dsb" ::: "memory");
#elif defined(__riscv)
    __asm__ volatile("fence rw, rw" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
    return MM_STATUS_OK;
}

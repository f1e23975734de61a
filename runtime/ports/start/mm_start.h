/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From reset to main, without any vendor's files: cortex_m.c or rv32.c, mm_start.c, and a linker script that defines
 * the symbols below. SRAM holds nothing of value at reset: initialised data is copied from flash, .bss is cleared;
 * .mm_sram (images of what tasks fetch or write before they read it) is left as it is.
 */
#ifndef METAMORPH_MM_START_H
#define METAMORPH_MM_START_H

/* Called by the processor's own reset code, with a stack and nothing else. */
_Noreturn void mm_start_c(void);

/* The processor took an exception that firmware without interrupts never takes (a bus error, an undefined instruction).
 * The board's port defines it. */
_Noreturn void mm_start_fault(void);

int main(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The first instructions of a RISC-V: global pointer, stack pointer, trap vector, then C. Assembly, since C needs a
 * stack; in a C file, so that a project needs one language only.
 */
#include "mm_start.h"

__asm__(
    ".pushsection .mm_start, \"ax\", @progbits\n"
    ".globl mm_reset\n"
    ".type mm_reset, @function\n"
    "mm_reset:\n"
    "    .option push\n"
    "    .option norelax\n" /* the global pointer cannot be loaded relative to itself */
    "    la gp, __global_pointer$\n"
    "    .option pop\n"
    "    la sp, mm_stack_top\n"
    "    la t0, mm_trap\n"
    "    .option push\n"
    "    .option arch, +zicsr\n" /* a processor with traps has it; naming it to the compiler would choose other
                                    libraries */
    "    csrw mtvec, t0\n"
    "    .option pop\n"
    "    j mm_start_c\n"
    ".size mm_reset, . - mm_reset\n"
    ".balign 4\n" /* direct mode: mtvec's lowest two bits are zero */
    ".type mm_trap, @function\n"
    "mm_trap:\n"
    "    la sp, mm_stack_top\n" /* the trap may come from a stack pointer that is no longer one */
    "    j mm_start_fault\n"
    ".size mm_trap, . - mm_trap\n"
    ".popsection\n");

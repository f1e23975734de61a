/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector table and reset of a Cortex-M: the processor loads the stack pointer and jumps by itself. No interrupts are
 * used; the table ends with the exceptions of the architecture. A vendor's interrupts go behind them.
 */
#include <stdint.h>

#include "mm_start.h"

extern uint32_t mm_stack_top[];

void mm_reset(void);

#if defined(__ARM_FP)
/* Lets the program use floating-point instructions: full access to coprocessors 10 and 11 (CPACR). */
static void mm_enable_fpu(void) {
    volatile uint32_t* const access_control = (volatile uint32_t*)0xE000ED88u;
    *access_control = *access_control | 0xFu << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}
#endif

/* Compilers may save floating-point registers at the start of a function: here none is in use before the enable. */
void mm_reset(void) {
#if defined(__ARM_FP)
    mm_enable_fpu();
#endif
    mm_start_c();
}

typedef union mm_vector {
    uint32_t* stack;
    void (*handler)(void);
} mm_vector_t;

__attribute__((section(".mm_vectors"), used)) static const mm_vector_t mm_vectors[16] = {
    {.stack = mm_stack_top},
    {.handler = mm_reset},
    {.handler = mm_start_fault}, /* NMI */
    {.handler = mm_start_fault}, /* hard fault, to which the three below escalate unless they are enabled */
    {.handler = mm_start_fault}, /* memory management */
    {.handler = mm_start_fault}, /* bus */
    {.handler = mm_start_fault}, /* usage */
    {.stack = 0},
    {.stack = 0},
    {.stack = 0},
    {.stack = 0},
    {.handler = mm_start_fault}, /* SVCall */
    {.handler = mm_start_fault}, /* debug monitor */
    {.stack = 0},
    {.handler = mm_start_fault}, /* PendSV */
    {.handler = mm_start_fault}  /* SysTick */
};

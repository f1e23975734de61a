/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From reset to main, on Cortex-M and RISC-V. The linker script gives the symbols. What stands in .noinit is not
 * touched.
 */
#include <stdint.h>

extern uint32_t mm_data_begin[], mm_data_end[], mm_data_load[], mm_bss_begin[], mm_bss_end[], mm_stack_top[];
int main(void);

__attribute__((used, noreturn)) void mm_start(void) {
    const volatile uint32_t* from = mm_data_load;
    for (volatile uint32_t* at = mm_data_begin; at < mm_data_end; at++, from++) {
        *at = *from;
    }
    for (volatile uint32_t* at = mm_bss_begin; at < mm_bss_end; at++) {
        *at = 0;
    }
    (void)main();
    for (;;) {
    }
}

#if defined(__arm__)

static void mm_reset(void) {
#if defined(__ARM_FP)
    *(volatile uint32_t*)0xE000ED88u |= 0xFu << 20; /* CPACR: full access to CP10 and CP11 */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
    mm_start();
}

/* A fault stops here, where a debugger or an emulator's limit finds it. */
static void mm_fault(void) {
    for (;;) {
    }
}

/* ARMv7-M, table of exception vectors: stack pointer, reset, NMI, faults, SVCall, debug, PendSV, SysTick. */
typedef union mm_vector {
    const void* stack;
    void (*handler)(void);
} mm_vector_t;
__attribute__((section(".vectors"), used)) const mm_vector_t mm_vectors[16] = {
    {.stack = mm_stack_top}, {.handler = mm_reset}, {.handler = mm_fault}, {.handler = mm_fault},
    {.handler = mm_fault},   {.handler = mm_fault}, {.handler = mm_fault}, {.handler = 0},
    {.handler = 0},          {.handler = 0},        {.handler = 0},        {.handler = mm_fault},
    {.handler = mm_fault},   {.handler = 0},        {.handler = mm_fault}, {.handler = mm_fault},
};

#elif defined(__riscv)

__attribute__((section(".vectors"), used, naked)) void mm_reset(void) {
    __asm__ volatile(
        ".option push\n\t.option norelax\n\tla gp, __global_pointer$\n\t.option pop\n\t"
        "la sp, mm_stack_top\n\tla t0, mm_fault\n\tcsrw mtvec, t0\n\tj mm_start");
}

__attribute__((used, aligned(4), naked)) static void mm_fault(void) {
    __asm__ volatile("1: j 1b");
}

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Everything stored before is in the memory when this returns: the processor's write buffer is drained, and the
 * compiler moves no store across.
 */
#ifndef METAMORPH_MM_BARRIER_H
#define METAMORPH_MM_BARRIER_H

#if defined(__arm__)
#define mm_write_barrier() __asm__ volatile("dsb" ::: "memory")
#elif defined(__riscv)
#define mm_write_barrier() __asm__ volatile("fence rw, rw" ::: "memory")
#else
#error "no write barrier is known for this processor"
#endif

#endif

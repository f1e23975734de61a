/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sees the stores of a mapped application: clang -fsanitize-coverage=func,trace-stores calls one of these before each
 * store. (In bus mode no task can store into NVM; code compiled for both links all the same.) This file must be
 * compiled without that option. The names are the compiler's, not ours.
 *
 * memcpy, memmove and memset are defined here too, and so take the place of the C library's in this program: loops and
 * structure copies that a compiler turns into such calls are seen byte by byte, instead of changing NVM unseen. Not
 * under AddressSanitizer, which needs its own; there the guard of mm_host_nvm.c is all there is.
 */
#include "mm_host.h"

void __sanitizer_cov_store1(uint8_t* at);
void __sanitizer_cov_store2(uint16_t* at);
void __sanitizer_cov_store4(uint32_t* at);
void __sanitizer_cov_store8(uint64_t* at);
void __sanitizer_cov_store16(void* at);

static void mm_see_store(const void* at, uint32_t bytes) {
    mm_host_sees_stores = true;
#ifdef MM_PORT_BUS
    (void)at;
    (void)bytes;
#else
    const uintptr_t offset = (uintptr_t)at - (uintptr_t)mm_host_nvm;
    if (offset < mm_host_nvm_bytes) {
        mm_host_announce_unit((uint32_t)offset, bytes);
    }
#endif
}

void __sanitizer_cov_store1(uint8_t* at) {
    mm_see_store(at, 1);
}
void __sanitizer_cov_store2(uint16_t* at) {
    mm_see_store(at, 2);
}
void __sanitizer_cov_store4(uint32_t* at) {
    mm_see_store(at, 4);
}
void __sanitizer_cov_store8(uint64_t* at) {
    mm_see_store(at, 8);
}
void __sanitizer_cov_store16(void* at) {
    mm_see_store(at, 16);
}

#ifdef MM_PORT_MAPPED
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)

/* Optimisers recognise plain copying loops and would turn them into calls of the functions they stand in. */
#define MM_KEEP_LOOP() __asm__ volatile("" ::: "memory")

typedef uint64_t mm_word_t __attribute__((may_alias, aligned(1)));

static bool mm_is_nvm(const void* at) {
    return (uintptr_t)at - (uintptr_t)mm_host_nvm < mm_host_nvm_bytes;
}

static void mm_copy_up(uint8_t* to, const uint8_t* from, size_t bytes) {
    size_t i = 0;
    for (; bytes - i >= 32; i += 32) {
        const mm_word_t a = *(const mm_word_t*)(from + i), b = *(const mm_word_t*)(from + i + 8);
        const mm_word_t c = *(const mm_word_t*)(from + i + 16), d = *(const mm_word_t*)(from + i + 24);
        *(mm_word_t*)(to + i) = a;
        *(mm_word_t*)(to + i + 8) = b;
        *(mm_word_t*)(to + i + 16) = c;
        *(mm_word_t*)(to + i + 24) = d;
        MM_KEEP_LOOP();
    }
    for (; i < bytes; i++) {
        to[i] = from[i];
        MM_KEEP_LOOP();
    }
}

static void mm_store_byte(uint8_t* to, uint8_t value) {
    if (mm_is_nvm(to)) {
        mm_host_announce_unit((uint32_t)(to - mm_host_nvm), 1);
    }
    *(volatile uint8_t*)to = value;
}

/* Neither of the two calls the other: compilers replace one by the other where they know of no overlap. */
static void* mm_move_bytes(void* to, const void* from, size_t bytes) {
    uint8_t* target = to;
    const uint8_t* source = from;
    const bool upward = (uintptr_t)to - (uintptr_t)from >= bytes;
    if (upward && !mm_is_nvm(to)) {
        mm_copy_up(target, source, bytes);
        return to;
    }
    for (size_t i = 0; i < bytes; i++) {
        const size_t at = upward ? i : bytes - 1 - i;
        mm_store_byte(target + at, source[at]);
    }
    return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
    return mm_move_bytes(to, from, bytes);
}
void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
    return mm_move_bytes(to, from, bytes);
}

void* memset(void* to, int value, size_t bytes) {
    uint8_t* target = to;
    const bool in_nvm = mm_is_nvm(to);
    for (size_t i = 0; i < bytes; i++) {
        if (in_nvm) {
            mm_store_byte(target + i, (uint8_t)value);
        } else {
            target[i] = (uint8_t)value;
            MM_KEEP_LOOP();
        }
    }
    return to;
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions that a compiler may call on its own, for compilers that bring no C library (Clang for bare machines).
 * Linked last: a library that has them comes first. Built with -fno-builtin, so that no loop becomes a call of itself.
 * Byte by byte: generated code calls them rarely, if at all.
 */
#include <stddef.h>
#include <stdint.h>

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);

static void copy_ascending(uint8_t* to, const uint8_t* from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        to[i] = from[i];
    }
}

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
    copy_ascending((uint8_t*)to, (const uint8_t*)from, bytes);
    return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
    uint8_t* at = (uint8_t*)to;
    const uint8_t* source = (const uint8_t*)from;
    if ((uintptr_t)at <= (uintptr_t)source) {
        copy_ascending(at, source, bytes);
        return to;
    }
    while (bytes > 0u) {
        bytes--;
        at[bytes] = source[bytes];
    }
    return to;
}

void* memset(void* to, int value, size_t bytes) {
    uint8_t* at = (uint8_t*)to;
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)value;
    }
    return to;
}

int memcmp(const void* a, const void* b, size_t bytes) {
    const uint8_t* left = (const uint8_t*)a;
    const uint8_t* right = (const uint8_t*)b;
    for (size_t i = 0; i < bytes; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

#if defined(__arm__)
/* The names by which Clang calls them (run-time ABI of the Arm architecture); memset's arguments are swapped. */
void __aeabi_memcpy(void* to, const void* from, size_t bytes);
void __aeabi_memcpy(void* to, const void* from, size_t bytes) {
    (void)memcpy(to, from, bytes);
}
void __aeabi_memcpy4(void* to, const void* from, size_t bytes) __attribute__((alias("__aeabi_memcpy")));
void __aeabi_memcpy8(void* to, const void* from, size_t bytes) __attribute__((alias("__aeabi_memcpy")));
void __aeabi_memmove(void* to, const void* from, size_t bytes);
void __aeabi_memmove(void* to, const void* from, size_t bytes) {
    (void)memmove(to, from, bytes);
}
void __aeabi_memmove4(void* to, const void* from, size_t bytes) __attribute__((alias("__aeabi_memmove")));
void __aeabi_memmove8(void* to, const void* from, size_t bytes) __attribute__((alias("__aeabi_memmove")));
void __aeabi_memset(void* to, size_t bytes, int value);
void __aeabi_memset(void* to, size_t bytes, int value) {
    (void)memset(to, value, bytes);
}
void __aeabi_memset4(void* to, size_t bytes, int value) __attribute__((alias("__aeabi_memset")));
void __aeabi_memset8(void* to, size_t bytes, int value) __attribute__((alias("__aeabi_memset")));
void __aeabi_memclr(void* to, size_t bytes);
void __aeabi_memclr(void* to, size_t bytes) {
    (void)memset(to, 0, bytes);
}
void __aeabi_memclr4(void* to, size_t bytes) __attribute__((alias("__aeabi_memclr")));
void __aeabi_memclr8(void* to, size_t bytes) __attribute__((alias("__aeabi_memclr")));
#endif

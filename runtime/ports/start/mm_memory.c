/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions that compilers call by themselves, for toolchains without a C library.
 */
#include <stddef.h>
#include <stdint.h>

void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);

void* memcpy(void* to, const void* from, size_t bytes) {
    uint8_t* at = (uint8_t*)to;
    const uint8_t* source = (const uint8_t*)from;
    while (bytes-- != 0u) {
        *at++ = *source++;
    }
    return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
    uint8_t* at = (uint8_t*)to;
    const uint8_t* source = (const uint8_t*)from;
    if ((uintptr_t)at <= (uintptr_t)source) {
        return memcpy(to, from, bytes);
    }
    while (bytes-- != 0u) {
        at[bytes] = source[bytes];
    }
    return to;
}

void* memset(void* to, int value, size_t bytes) {
    uint8_t* at = (uint8_t*)to;
    while (bytes-- != 0u) {
        *at++ = (uint8_t)value;
    }
    return to;
}

int memcmp(const void* a, const void* b, size_t bytes) {
    const uint8_t* x = (const uint8_t*)a;
    const uint8_t* y = (const uint8_t*)b;
    for (; bytes-- != 0u; x++, y++) {
        if (*x != *y) {
            return *x - *y;
        }
    }
    return 0;
}

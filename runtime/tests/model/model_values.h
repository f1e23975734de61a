/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the model's application computes, and reproducible noise.
 */
#ifndef METAMORPH_MODEL_VALUES_H
#define METAMORPH_MODEL_VALUES_H

#include <stdint.h>
#include <string.h>

enum { STATE = 8, VALUE = 8 };

static const uint8_t first_state[STATE] = {3, 1, 4, 1, 5, 9, 2, 6};

static uint64_t mix(uint64_t seed) {
    seed += 0x9E3779B97F4A7C15u;
    seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9u;
    seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EBu;
    return seed ^ (seed >> 31);
}

static void advance(uint8_t bytes[STATE], uint8_t out[VALUE]) {
    uint32_t sum = 17;
    for (int i = 0; i < STATE; i++) {
        sum = sum * 31u + bytes[i];
        bytes[i] = (uint8_t)(bytes[i] * 5u + (sum >> 7) + 1u);
    }
    for (int i = 0; i < VALUE; i++) {
        sum = sum * 1664525u + 1013904223u;
        out[i] = (uint8_t)(sum >> 24);
    }
}

static void expected_output(uint32_t inference, uint8_t out[VALUE]) {
    uint8_t bytes[STATE];
    memcpy(bytes, first_state, STATE);
    for (uint32_t i = 0; i <= inference; i++) {
        advance(bytes, out);
    }
}

#endif

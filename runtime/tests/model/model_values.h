/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the model's application computes.
 */
#ifndef METAMORPH_MODEL_VALUES_H
#define METAMORPH_MODEL_VALUES_H

#include <stdint.h>
#include <string.h>

enum { STATE = 8, VALUE = 8 };

static const uint8_t first_state[STATE] = {3, 1, 4, 1, 5, 9, 2, 6};

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

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every output byte depends on every input, so that one wrong byte anywhere shows in the end.
 */
#include "toy_layers.h"

void toy_split(const int8_t in[static TOY_IN], int8_t residual[static TOY_RESIDUAL], int8_t a[static TOY_A],
               int8_t state[static TOY_STATE]) {
    uint32_t sum = 7u;
    for (int i = 0; i < TOY_IN; i++) {
        sum = sum * 31u + (uint8_t)in[i];
    }
    for (int i = 0; i < TOY_STATE; i++) {
        sum = sum * 31u + (uint8_t)state[i];
        state[i] = (int8_t)((uint8_t)state[i] * 5u + (sum >> 9) + 1u);
    }
    for (int i = 0; i < TOY_RESIDUAL; i++) {
        sum = sum * 1664525u + 1013904223u;
        residual[i] = (int8_t)(sum >> 24);
    }
    for (int i = 0; i < TOY_A; i++) {
        sum = sum * 1664525u + 1013904223u;
        a[i] = (int8_t)(sum >> 24);
    }
}

void toy_mix(const int8_t a[static TOY_A], const int8_t residual[static TOY_RESIDUAL], int16_t b[static TOY_B]) {
    for (int i = 0; i < TOY_B; i++) {
        uint32_t sum = (uint32_t)i;
        for (int j = 0; j < TOY_A; j++) {
            sum = sum * 131u + (uint8_t)a[j];
        }
        for (int j = 0; j < TOY_RESIDUAL; j++) {
            sum = sum * 137u + (uint8_t)residual[j];
        }
        b[i] = (int16_t)(sum >> 11);
    }
}

void toy_reduce(const int16_t b[static TOY_B], const int8_t residual[static TOY_RESIDUAL],
                const int8_t in[static TOY_IN], int32_t out[static TOY_OUT]) {
    for (int i = 0; i < TOY_OUT; i++) {
        uint32_t sum = (uint32_t)i;
        for (int j = 0; j < TOY_B; j++) {
            sum = sum * 131u + (uint16_t)b[j];
        }
        for (int j = 0; j < TOY_RESIDUAL; j++) {
            sum = sum * 137u + (uint8_t)residual[j];
        }
        for (int j = 0; j < TOY_IN; j++) {
            sum = sum * 139u + (uint8_t)in[j];
        }
        out[i] = (int32_t)sum;
    }
}

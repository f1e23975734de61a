// Layers that the programs of the corpus share. Each depends on the order of its input, so that a mix-up shows.
#ifndef LAYERS_H
#define LAYERS_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void scale(const int8_t* in, int8_t* out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = (int8_t)(in[i] * 3 + i);
    }
}

static inline void turn(const int8_t* in, int8_t* out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = in[n - 1 - i];
    }
}

static inline void sum(const int8_t* a, const int8_t* b, int8_t* out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = (int8_t)(a[i] + b[i]);
    }
}
#endif

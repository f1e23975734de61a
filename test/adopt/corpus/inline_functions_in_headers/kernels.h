#ifndef KERNELS_H
#define KERNELS_H
#include "layers.h"
static inline void counted(const int8_t* in, int8_t* out) {
    static int8_t calls;
    calls++;
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(in[i] + calls);
    }
}
#endif

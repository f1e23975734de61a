/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plain program, never interrupted: inputs on stdin, outputs on stdout.
 */
#include <stdio.h>

#include "toy_layers.h"

int main(void) {
    int8_t in[TOY_IN], residual[TOY_RESIDUAL], a[TOY_A];
    int8_t state[TOY_STATE] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
    int16_t b[TOY_B];
    int32_t out[TOY_OUT];
    while (fread(in, sizeof in, 1, stdin) == 1) {
        toy_split(in, residual, a, state);
        toy_mix(a, residual, b);
        toy_reduce(b, residual, in, out);
        if (fwrite(out, sizeof out, 1, stdout) != 1) {
            return 1;
        }
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The "generated" code of the toy network: out-of-place layers and a state that one of them carries between inferences.
 */
#ifndef TOY_LAYERS_H
#define TOY_LAYERS_H

#include <stdint.h>

enum { TOY_IN = 16, TOY_RESIDUAL = 24, TOY_A = 16, TOY_B = 24, TOY_OUT = 8, TOY_STATE = 12 };

void toy_split(const int8_t in[static TOY_IN], int8_t residual[static TOY_RESIDUAL], int8_t a[static TOY_A],
               int8_t state[static TOY_STATE]);
void toy_mix(const int8_t a[static TOY_A], const int8_t residual[static TOY_RESIDUAL], int16_t b[static TOY_B]);
void toy_reduce(const int16_t b[static TOY_B], const int8_t residual[static TOY_RESIDUAL],
                const int8_t in[static TOY_IN], int32_t out[static TOY_OUT]);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is known of the parts of a network: how each part's own program sets the accelerator up, and the known answer of
 * its known-answer test. Lists are as the generator has them: address, mask, length, then so many words; 0 ends the list.
 */
#ifndef AI8X_KNOWN_H
#define AI8X_KNOWN_H

#include <stdint.h>

typedef struct {
    uint64_t configuration;  /* sum over all words of registers, weights and biases that are not 0 (ai8x_replay.c) */
    const uint32_t *inputs;  /* what the part's own load_input puts into data memory */
    const uint32_t *outputs; /* what it then leaves there */
} ai8x_known_part_t;

extern const ai8x_known_part_t ai8x_known_parts[];
extern const unsigned ai8x_known_part_count;

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A non-volatile memory in RAM that tells, while a power cycle runs undisturbed, everything that a power cut could have
 * left behind instead.
 *
 * A write is split into aligned units of 1 to 16 bytes; hardware reads, changes and writes back a whole unit. The unit
 * being written tears into any mix of its old and new bytes (all mixes up to 4 bytes, samples above), or into noise.
 * *In order*: all units before it were written, none behind it. *Reordered*: of the units since the last barrier any
 * subset was written (all subsets of up to 8 units, samples above), and of the others one may be torn (samples).
 *
 * Bytes may be *unknown*: whatever they hold, the power cycle must not depend on it. Which bytes it read before it
 * wrote them is told, too: two memories that agree on these are one case.
 */
#ifndef METAMORPH_MODEL_MEMORY_H
#define METAMORPH_MODEL_MEMORY_H

#include "model.h"

typedef struct memory_image {
    uint8_t bytes[MODEL_NVM_BYTES]; /* of unknown ones: always the same value */
    uint8_t known[MODEL_NVM_BYTES];
} memory_image_t;

/* What a cut may have left. `point`: counts write units (reordered: bursts) of this power cycle; `variant`: how this
 * one tore. */
typedef void (*memory_cut_t)(const memory_image_t* left, uint32_t point, uint32_t variant);

/* A power cycle begins. `cut` may be NULL. */
void memory_power_on(const memory_image_t* image, const model_memory_t* memory, memory_cut_t cut);
void memory_read(uint32_t address, void* to, uint32_t bytes);
void memory_write(uint32_t address, const void* from, uint32_t bytes);
void memory_barrier(void);
/* Nothing more happens until power fails: the last cut. */
void memory_power_off(void);

/* What is there when power fails now and nothing lands that need not have. */
const memory_image_t* memory_durable(void);
/* An unknown byte was read. `kept` (may be NULL): set for each of them. */
bool memory_unknown_was_read(uint8_t* kept);
/* Of the image that this power cycle began with: unknown what it did not read before writing it and is not in `kept`.
 */
void memory_forget_unneeded(memory_image_t* image, const uint8_t* kept);

uint64_t memory_mix(uint64_t seed); /* reproducible noise */

#endif

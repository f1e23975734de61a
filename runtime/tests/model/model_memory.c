/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Nothing is run again for a cut: while the program runs on, each memory that a cut could have left is put together and
 * handed out. Reordered, that is done at the barrier: what was left of a burst that was cut earlier is a subset of it.
 */
#include "model_memory.h"

#include <string.h>

enum { UNIT_MAX = 16, BURST_MAX = 256, TEARS_SAMPLED = 12, SUBSETS_ALL_MAX = 8, SUBSETS_SAMPLED = 128 };
enum { NONE = -1 };

typedef struct unit {
    uint32_t at;
    uint32_t written; /* bit set: byte was meant to be written; the others are written back as they were */
    uint8_t bytes[UNIT_MAX];
} unit_t;

static struct {
    model_memory_t options;
    memory_cut_t cut;
    memory_image_t now, durable; /* as the program sees it; as of the last barrier */
    uint8_t written[MODEL_NVM_BYTES], needed[MODEL_NVM_BYTES];
    unit_t burst[BURST_MAX]; /* since the last barrier, if reordered */
    unsigned burst_units;
    uint32_t points;
    uint8_t unknown[MODEL_NVM_BYTES]; /* read, but unknown */
} memory;

uint64_t memory_mix(uint64_t seed) {
    seed += 0x9E3779B97F4A7C15u;
    seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9u;
    seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EBu;
    return seed ^ (seed >> 31);
}

void memory_power_on(const memory_image_t* image, const model_memory_t* options, memory_cut_t cut) {
    memory.options = *options;
    memory.cut = cut;
    memory.now = *image;
    memory.durable = *image;
    memset(memory.written, 0, sizeof memory.written);
    memset(memory.needed, 0, sizeof memory.needed);
    memory.burst_units = 0;
    memory.points = 0;
    memset(memory.unknown, 0, sizeof memory.unknown);
}

void memory_read(uint32_t address, void* to, uint32_t bytes) {
    for (uint32_t at = address; at < address + bytes; at++) {
        memory.needed[at] |= memory.written[at] == 0;
        memory.unknown[at] |= memory.now.known[at] == 0;
    }
    memcpy(to, memory.now.bytes + address, bytes);
}

/* ---- Tears ---- */

static uint32_t count_tears(void) { /* before; torn; noise is the last */
    return memory.options.unit_bytes <= 4 ? 1u << memory.options.unit_bytes : 2u + TEARS_SAMPLED;
}

static void land(memory_image_t* image, const unit_t* unit, uint64_t mask) {
    for (uint32_t i = 0; i < memory.options.unit_bytes; i++) {
        if ((mask & unit->written) >> i & 1u) {
            image->bytes[unit->at + i] = unit->bytes[i];
            image->known[unit->at + i] = 1;
        }
    }
}

static void land_torn(memory_image_t* image, const unit_t* unit, uint32_t tear) {
    const uint64_t low = memory_mix(unit->at * 64u + (memory.points & 1u)), high = memory_mix(low);
    if (tear != count_tears() - 1u) {
        land(image, unit, memory.options.unit_bytes <= 4 ? tear : tear == 0 ? 0u : memory_mix(low + tear));
        return;
    }
    for (uint32_t i = 0; i < memory.options.unit_bytes; i++) {
        if (image->known[unit->at + i] != 0 || (unit->written >> i & 1u) != 0) { /* unknown stays unknown */
            image->bytes[unit->at + i] = (uint8_t)((i < 8 ? low : high) >> (i % 8 * 8));
            image->known[unit->at + i] = 1;
        }
    }
}

static void cut_inside(const unit_t* unit) {
    for (uint32_t tear = 0; tear < count_tears(); tear++) {
        memory_image_t left = memory.now;
        land_torn(&left, unit, tear);
        memory.cut(&left, memory.points, tear);
    }
}

/* ---- Any order ---- */

static uint64_t random_subset(uint64_t salt) {
    return memory_mix(memory.options.seed * 1000003u + memory.points * 8191u + salt);
}

static bool is_in(uint64_t subset, unsigned i) {
    if (subset == 0 || subset == UINT64_MAX) {
        return subset != 0;
    }
    return ((i < 64 ? subset : memory_mix(subset + i / 64)) >> (i % 64) & 1u) != 0;
}

static void cut_with(uint64_t subset, int torn, uint32_t tear, uint32_t variant) {
    memory_image_t left = memory.durable;
    for (unsigned i = 0; i < memory.burst_units; i++) {
        if ((int)i == torn) {
            land_torn(&left, &memory.burst[i], tear);
        } else if (is_in(subset, i)) {
            land(&left, &memory.burst[i], UINT64_MAX);
        }
    }
    memory.cut(&left, memory.points, variant);
}

static void cut_burst(void) {
    const unsigned units = memory.burst_units;
    const uint32_t subsets = units <= SUBSETS_ALL_MAX ? 1u << units : SUBSETS_SAMPLED;
    const uint32_t tears = count_tears() - 1u, variants = subsets + units * tears;
    const uint32_t most = memory.options.variants_max, count = most != 0 && most < variants ? most : variants;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t variant = count == variants || k < 2 ? k : (uint32_t)(random_subset(k) % variants);
        if (variant >= subsets) {
            const uint32_t torn = (variant - subsets) / tears;
            cut_with(random_subset(variant), (int)torn, 1u + (variant - subsets) % tears, variant);
        } else if (variant < 2) { /* none, all */
            cut_with(variant == 0 ? 0 : UINT64_MAX, NONE, 0, variant);
        } else {
            cut_with(units <= SUBSETS_ALL_MAX ? variant - 1u : random_subset(variant), NONE, 0, variant);
        }
    }
}

static void end_burst(void) {
    if (memory.burst_units != 0) {
        if (memory.cut != NULL) {
            cut_burst();
        }
        memory.points++;
    }
    memory.burst_units = 0;
    memory.durable = memory.now;
}

/* ---- Writes ---- */

static void write_unit(const unit_t* unit) {
    if (!memory.options.reorders) {
        if (memory.cut != NULL) {
            cut_inside(unit);
        }
        memory.points++;
    } else if (memory.burst_units < BURST_MAX) {
        memory.burst[memory.burst_units++] = *unit;
    }
    land(&memory.now, unit, UINT64_MAX);
    if (!memory.options.reorders) {
        land(&memory.durable, unit, UINT64_MAX);
    }
}

void memory_write(uint32_t address, const void* from, uint32_t bytes) {
    const uint8_t* source = from;
    const uint32_t end = address + bytes, size = memory.options.unit_bytes;
    memset(memory.written + address, 1, bytes);
    for (uint32_t at = address - address % size; at < end; at += size) {
        unit_t unit = {at, 0, {0}};
        for (uint32_t i = 0; i < size; i++) {
            if (at + i >= address && at + i < end) {
                unit.bytes[i] = source[at + i - address];
                unit.written |= 1u << i;
            }
        }
        write_unit(&unit);
    }
}

void memory_barrier(void) {
    if (memory.options.reorders) {
        end_burst();
    }
}

void memory_power_off(void) {
    if (memory.options.reorders) {
        end_burst();
    }
    if (memory.cut != NULL) {
        memory.cut(&memory.now, memory.points, 0);
    }
}

const memory_image_t* memory_durable(void) {
    return &memory.durable;
}

bool memory_unknown_was_read(uint8_t* kept) {
    bool any = false;
    for (uint32_t at = 0; at < MODEL_NVM_BYTES; at++) {
        any = any || memory.unknown[at] != 0;
        if (kept != NULL) {
            kept[at] |= memory.unknown[at];
        }
    }
    return any;
}

void memory_forget_unneeded(memory_image_t* image, const uint8_t* kept) {
    for (uint32_t at = 0; at < MODEL_NVM_BYTES; at++) {
        if (memory.needed[at] == 0 && kept[at] == 0) {
            image->bytes[at] = 0xEE;
            image->known[at] = 0;
        }
    }
}

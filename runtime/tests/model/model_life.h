/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One power cycle of the real runtime with a small application, watched. What the parts of the model checker share.
 */
#ifndef METAMORPH_MODEL_LIFE_H
#define METAMORPH_MODEL_LIFE_H

#include "model_memory.h"

typedef enum model_build { MODEL_THIS_BUILD, MODEL_OTHER_BUILD } model_build_t;

typedef struct model_world {
    uint32_t handed;   /* inferences whose output came */
    int64_t committed; /* latest commit that had completed, counted from the life's first; -1: none */
} model_world_t;

typedef struct model_state {
    memory_image_t image;
    model_world_t world;
} model_state_t;

typedef struct model_cut {
    model_state_t state;
    uint32_t point, variant;
} model_cut_t;

typedef struct model_cuts { /* what the cuts of a power cycle left */
    model_cut_t* list;
    uint32_t count, capacity;
} model_cuts_t;

typedef struct life_setting {
    model_memory_t memory;
    uint32_t inferences;     /* that there are inputs for */
    uint32_t first_sequence; /* of the life's first commit */
    bool may_start_anew;     /* although a commit had completed: another build has been here */
} life_setting_t;

/* Status of mm_run; -1: power was cut (a power cycle in vain); 100 + status: mm_port_fatal. */
int life_run(model_build_t build, const life_setting_t* setting, const model_state_t* from, model_cuts_t* cuts);

/* After a life: what was wrong (NULL: nothing), world and memory at its end. */
const char* life_wrong(void);
void life_end(model_state_t* end);

/* The state that a life with `image` begins in, and its setting. */
void life_make(model_image_t image, const model_memory_t* memory, life_setting_t* setting, model_state_t* state);

#endif

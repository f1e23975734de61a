/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Model checker of the commit: the real runtime on a memory in RAM whose power is cut before, inside and after each
 * write unit, again inside each recovery, with every way a small unit can tear, with writes in order or reordered.
 */
#ifndef METAMORPH_MODEL_H
#define METAMORPH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MODEL_NVM_BYTES = 192 };

typedef enum model_image {
    MODEL_ZEROS,
    MODEL_ONES,
    MODEL_NOISE,
    MODEL_OTHER_APP, /* what another application left */
    MODEL_WRAP,      /* this application, some commits before its sequence number wraps around */
    MODEL_IMAGES
} model_image_t;

typedef struct model_memory {
    unsigned unit_bytes;   /* 1, 2, 4, 8 or 16 */
    bool reorders;         /* between two barriers writes land in any order */
    uint32_t variants_max; /* reordered: of what one burst can leave so many are looked at, chosen by `seed`; 0: all
                              that model_memory.h names */
    uint64_t seed;
} model_memory_t;

typedef struct model_findings {
    uint64_t lives;  /* boots that were checked to their end */
    uint64_t states; /* model_close: images that differ in what a boot needs of them */
    uint64_t wrong;
    char first[240]; /* wrong one: "cut 12 variant 3, cut 5 variant 0: …" */
} model_findings_t;

/* Every cut of a life of two inferences, `depth` nested. */
model_findings_t model_explore(model_image_t image, const model_memory_t* memory, unsigned depth);

/* Any number of cuts: until no new image appears. Images are one case if they agree on all that boots read before they
 * write it (model_search.c). */
model_findings_t model_close(model_image_t image, const model_memory_t* memory);

/* This build, cut anywhere, then another one, cut anywhere, then this build again: it goes on from its newest record or
 * starts anew. */
model_findings_t model_explore_reflashing(const model_memory_t* memory);

/* Boots `boots` times, each losing its power when its first task starts. `answer`: what the port says to no-progress.
 */
typedef struct model_attempts {
    unsigned first_asked; /* boot (from 1) in which mm_port_no_progress was first called; 0: never */
    uint32_t attempts;    /* that it was told then */
    unsigned times_asked;
    unsigned ended; /* boots that mm_run ended with MM_STATUS_NO_PROGRESS */
} model_attempts_t;
model_attempts_t model_boot_in_vain(unsigned boots, bool answer);
/* Its writes land only where there is a barrier behind them. */
model_attempts_t model_boot_in_vain_reordered(unsigned boots);
/* The same, but each boot finds no input and returns. */
model_attempts_t model_boot_idle(unsigned boots);

/* Status of mm_run (or what mm_port_fatal got, plus 100) with the named thing wrong in table or port. */
typedef enum model_defect {
    MODEL_SOUND,
    MODEL_NO_TASKS,
    MODEL_WRONG_LAYOUT,
    MODEL_HOME_IN_HEADER,
    MODEL_HOME_BEYOND_END,
    MODEL_COPY_BEYOND_END,
    MODEL_HOME_WRAPS,
    MODEL_SINCE_NOT_EARLIER,
    MODEL_BUFFER_WITHOUT_FLIP,
    MODEL_BUFFER_OUT_OF_RANGE,
    MODEL_COPIES_OVERLAP,
    MODEL_NO_SRAM,
    MODEL_SUCCESSOR_OUT_OF_RANGE,
    MODEL_PORT_CANNOT_OPEN,
    MODEL_READ_FAILS,
    MODEL_WRITE_FAILS,
    MODEL_BARRIER_FAILS
} model_defect_t;
int model_run_with(model_defect_t defect);

#ifdef __cplusplus
}
#endif

#endif

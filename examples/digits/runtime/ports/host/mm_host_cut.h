/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Cuts the power at every NVM write unit (README.md, "Cutting the power").
 */
#ifndef METAMORPH_MM_HOST_CUT_H
#define METAMORPH_MM_HOST_CUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mm_host_cut_options {
    const char* nvm;         /* file; with several jobs, each has one of its own beside it */
    const char* nvm_fill;    /* content before the first boot; NULL: zeros */
    const char* expect;      /* outputs of the plain program, all inferences; NULL: those of the uninterrupted run */
    uint64_t cuts_max;       /* UINT64_MAX: every unit; 0: none, the uninterrupted life alone is reported */
    uint64_t budget_seconds; /* 0: no limit */
    uint64_t seconds_max;    /* second cuts a first cut; UINT64_MAX: every unit of the recovery */
    unsigned jobs;
    unsigned timeout_seconds; /* a recovery */
    bool replay;
    int64_t replay_first;
    int64_t replay_second; /* -1: none */
} mm_host_cut_options_t;

/* Runs the uninterrupted life, then cuts it; prints the report as JSON. An exit status of the program. */
int mm_host_explore_cuts(const mm_host_cut_options_t* options);

#endif

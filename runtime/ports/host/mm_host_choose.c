/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which of the possible cuts are tried when not all are, and in which round: those before and after units of records,
 * tallies and the first boot always, and first; of the others as many as are left, evenly.
 */
#include "mm_host_cut_state.h"

static bool mm_is_significant(uint64_t unit) {
    return unit < mm_reference->units && mm_reference_log[unit].unit_class != MM_UNIT_DATA;
}

/* Of `all` in a row, `chosen` lie evenly: is the one with this rank among them? */
static bool mm_is_chosen(uint64_t rank, uint64_t chosen, uint64_t all) {
    return (rank + 1) * chosen / all > rank * chosen / all;
}

void mm_choose_cuts(uint8_t* planned, uint64_t most) {
    const uint64_t cuts = mm_reference->units + 1;
    uint64_t first = 0;
    for (uint64_t cut = 0; cut < cuts; cut++) {
        if (mm_is_significant(cut) || (cut > 0 && mm_is_significant(cut - 1)) || cut == cuts - 1) {
            planned[cut] = MM_CUT_FIRST;
            first++;
        }
    }
    const uint64_t others = cuts - first;
    const uint64_t left = most > first ? most - first : 0;
    const uint64_t chosen = left < others ? left : others;
    uint64_t rank = 0;
    for (uint64_t cut = 0; cut < cuts; cut++) {
        if (planned[cut] == MM_CUT_NONE && mm_is_chosen(rank++, chosen, others)) {
            planned[cut] = MM_CUT_PLANNED;
        }
    }
}

static uint64_t mm_count(const uint8_t* planned, uint8_t a, uint8_t b) {
    uint64_t count = 0;
    for (uint64_t cut = 0; cut <= mm_reference->units; cut++) {
        count += planned[cut] == a || planned[cut] == b;
    }
    return count;
}

uint64_t mm_make_due(uint8_t* due, uint8_t* planned, uint64_t most) {
    const uint64_t others = mm_count(planned, MM_CUT_PLANNED, MM_CUT_PLANNED);
    const uint64_t chosen = most < others ? most : others;
    uint64_t count = 0, rank = 0;
    for (uint64_t cut = 0; cut <= mm_reference->units; cut++) {
        due[cut] =
            planned[cut] == MM_CUT_FIRST || (planned[cut] == MM_CUT_PLANNED && mm_is_chosen(rank++, chosen, others));
        if (due[cut] != 0) {
            planned[cut] = planned[cut] == MM_CUT_FIRST ? MM_CUT_FIRST_TAKEN : MM_CUT_TAKEN;
            count++;
        }
    }
    return count;
}

uint64_t mm_count_first(const uint8_t* planned) {
    return mm_count(planned, MM_CUT_FIRST, MM_CUT_FIRST_TAKEN);
}

uint64_t mm_count_planned(const uint8_t* planned) {
    return mm_count_first(planned) + mm_count(planned, MM_CUT_PLANNED, MM_CUT_TAKEN);
}

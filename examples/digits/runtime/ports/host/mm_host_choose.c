/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which of the possible cuts are tried when not all are: those before and after units of records, tallies and the
 * first boot always, of the others as many as are left, evenly.
 */
#include "mm_host_cut_state.h"

static bool mm_is_significant(uint64_t unit) {
    return unit < mm_reference->units && mm_reference_log[unit].unit_class != MM_UNIT_DATA;
}

void mm_choose_cuts(uint8_t* wanted, uint64_t most) {
    const uint64_t cuts = mm_reference->units + 1;
    uint64_t always = 0;
    for (uint64_t cut = 0; cut < cuts; cut++) {
        wanted[cut] =
            wanted[cut] != 0 || mm_is_significant(cut) || (cut > 0 && mm_is_significant(cut - 1)) || cut == cuts - 1;
        always += wanted[cut];
    }
    const uint64_t others = cuts - always;
    const uint64_t left = most > always ? most - always : 0;
    const uint64_t chosen = left < others ? left : others;
    uint64_t rank = 0;
    for (uint64_t cut = 0; cut < cuts; cut++) {
        if (wanted[cut] == 0) {
            wanted[cut] = (rank + 1) * chosen / others > rank * chosen / others;
            rank++;
        }
    }
}

uint64_t mm_count_wanted(const uint8_t* wanted) {
    uint64_t count = 0;
    for (uint64_t unit = 0; unit <= mm_reference->units; unit++) {
        count += wanted[unit];
    }
    return count;
}

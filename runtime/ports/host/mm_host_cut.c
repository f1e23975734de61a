/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The cut driver is not there yet: asking for it is refused.
 */
#include "mm_host_cut.h"

#include <stdio.h>

#include "mm_host.h"

int mm_host_explore_cuts(const mm_host_cut_options_t* options) {
    (void)options;
    fprintf(stderr, "--explore is not there yet\n");
    return MM_HOST_EXIT_USAGE;
}

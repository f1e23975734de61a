/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Initialised data and .bss. The pointers are volatile so that no compiler makes a call of memcpy or memset out of the
 * loops: nothing may be called that might need what is set up here.
 */
#include "mm_start.h"

#include <stdint.h>

extern volatile uint32_t mm_data_start[], mm_data_end[], mm_bss_start[], mm_bss_end[];
extern const uint32_t mm_data_load[];

void mm_start_c(void) {
    const uint32_t* from = mm_data_load;
    for (volatile uint32_t* to = mm_data_start; to != mm_data_end; to++) {
        *to = *from++;
    }
    for (volatile uint32_t* to = mm_bss_start; to != mm_bss_end; to++) {
        *to = 0;
    }
    (void)main();
    mm_start_fault(); /* main does not return */
}

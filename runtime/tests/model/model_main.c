/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The quick part of the model checker as a program, for tests that build it with a fault in the runtime. Argument:
 * "ordered" or "reordered". Prints what it found; exit status 1: something wrong.
 */
#include <stdio.h>
#include <string.h>

#include "metamorph/mm_runtime.h"
#include "model.h"

int main(int count, char** arguments) {
    const model_memory_t memory = {4, count == 2 && strcmp(arguments[1], "reordered") == 0, 64, 1};
    model_findings_t all = model_explore_reflashing(&memory);
    for (unsigned image = 0; image < MODEL_IMAGES && all.wrong == 0; image++) {
        all = model_explore((model_image_t)image, &memory, 1);
    }
    if (all.wrong == 0 && !memory.reorders) { /* what only a third cut shows */
        all = model_close(MODEL_NOISE, &memory);
    }
    if (all.wrong == 0 && memory.reorders) {
        all.wrong = model_boot_in_vain_reordered(40).first_asked != MM_ATTEMPTS_MAX + 1u;
        strcpy(all.first, "boots were not counted");
    }
    printf("%s\n", all.wrong == 0 ? "nothing wrong" : all.first);
    return all.wrong == 0 ? 0 : 1;
}

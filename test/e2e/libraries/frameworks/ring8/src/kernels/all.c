/* The tree of another year: all kernels in one file of a folder of their own. */
#include "clamp.h"
#include "kernels.h"
#include "runtime.h"

int32_t ring_add(const int32_t* a, const int32_t* b) {
    int32_t sum = 0;
    for (int i = 0; i < RING_WIDTH; ++i) {
        sum += base_clamp(a[i] + b[i]);
    }
    ring_done("add");
#ifdef RING_DOUBLE
    return 2 * sum;
#else
    return sum;
#endif
}

int32_t ring_sum(const int32_t* a) {
    int32_t sum = 0;
    for (int i = 0; i < RING_WIDTH; ++i) {
        sum += a[i];
    }
    ring_done("sum");
    return sum;
}

const char* ring_variant(void) {
#if defined(RING_TEXTS)
    return "texts";
#elif defined(RING_FAST)
    return "fast eight";
#else
    return "eight";
#endif
}

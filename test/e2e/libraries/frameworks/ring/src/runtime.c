#include "runtime.h"

#include "kernels.h"

static int calls;

void ring_done(const char* kernel) {
    ++calls;
    ring_platform_log(kernel);
}

int ring_self_check(void) {
    const int32_t ones[RING_WIDTH] = {1};
    return ring_sum(ones) == 1;
}

int ring_calls(void) {
    return calls;
}

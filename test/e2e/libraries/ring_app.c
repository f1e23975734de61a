#include <stdio.h>

#include "kernels.h"
#include "runtime.h"

void ring_platform_log(const char* text) {
    printf("%s ", text);
}

int main(void) {
    const int32_t a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {50, 60, 70, 80, 90, 100, 110, 120};
    const int checked = ring_self_check();
    const int32_t sum = ring_add(a, b);
    printf("%d %d %d %s\n", checked, (int)sum, ring_calls(), ring_variant());
    return 0;
}

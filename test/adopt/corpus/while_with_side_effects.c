// Loops whose conditions change variables: woven, 3 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    int n = 3;
    memcpy(a, x, 16);
    while (n-- > 0) {
        scale(a, a, 16);
    }
    do {
        turn(a, y, 16);
    } while (++n < 1);
}

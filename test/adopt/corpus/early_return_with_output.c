// An early return behind which nothing must run: woven, 4 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[16];
    scale(x, a, 16);
    turn(a, y, 16);
    if (a[0] > 0) {
        return;
    }
    sum(a, x, b, 16);
    scale(b, y, 16);
}

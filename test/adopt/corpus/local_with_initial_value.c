// A local array that starts anew in each inference and is added to by several steps: woven, 4 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t total[16] = {1, 2, [5] = 7};
    int8_t a[16];
    scale(x, a, 16);
    sum(total, a, total, 16);
    turn(total, a, 16);
    sum(total, a, y, 16);
}

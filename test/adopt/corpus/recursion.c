// A recursive layer: woven, 3 steps.
#include "layers.h"
static void halves(int8_t *values, int n)
{
    if (n > 1) {
        halves(values, n / 2);
        halves(values + n / 2, n / 2);
        values[0] = (int8_t)(values[0] + values[n / 2]);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    halves(a, 16);
    turn(a, y, 16);
}

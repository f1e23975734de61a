// A layer that casts const away and writes to its input: woven, 3 steps.
#include "layers.h"
static void sly(const int8_t *in, int8_t *out)
{
    scale(in, out, 16);
    ((int8_t *)(uintptr_t)in)[3] = 42;
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[16];
    turn(x, a, 16);
    sly(a, b);
    sum(a, b, y, 16);
}

// A layer in slices beside a static variable of the file that survives: woven, 2 steps.
// --slice 0=4
#include "layers.h"
static int8_t before[16];
static void follow(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 16; i++)
        out[i] = (int8_t)(in[i] * 2 + before[15 - i]);
}
static void keep(const int8_t *in, int8_t *out)
{
    memcpy(before, in, 16);
    turn(in, out, 16);
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    follow(x, a);
    keep(a, y);
}

// Two recursive layers with memory between them that nobody fills: woven, 4 steps.
#include "layers.h"
static int depth(const int8_t *in, int8_t *out, int n)
{
    if (n == 0) {
        return 0;
    }
    out[n - 1] = (int8_t)(in[n - 1] * 3 + n);
    return depth(in, out, n - 1) + 1;
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[24];
    turn(x, a, 16);
    depth(a, b, 16);
    depth(b, a, 16);
    turn(a, y, 16);
}

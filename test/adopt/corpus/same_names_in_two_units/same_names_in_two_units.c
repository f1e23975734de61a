// Static functions and constants of the same name in two translation units: woven, 3 steps.
#include "layers.h"
void other(const int8_t *in, int8_t *out);
static const int8_t bias = 5;
static void shift(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(in[i] + bias);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[16];
    shift(x, a);
    other(a, b);
    shift(b, y);
}

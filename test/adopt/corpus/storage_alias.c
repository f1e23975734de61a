// A reshape without a call: two names of the same bytes: woven, 2 steps.
#include "layers.h"
static void rows(const int8_t (*in)[4], int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = in[i % 4][i / 4];
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    const int8_t(*matrix)[4] = (const int8_t(*)[4])a;
    scale(x, a, 16);
    rows(matrix, y);
}

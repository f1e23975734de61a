// A layer that draws random numbers, whose state the C library keeps: refused at line 6: "calls rand, which no source defines".
#include "layers.h"
static void drop_out(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = rand() % 8 == 0 ? 0 : in[i];
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    drop_out(x, a);
    scale(a, y, 16);
}

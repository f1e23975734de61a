// A table that each inference makes before its first layer: woven, 4 steps.
#include "layers.h"
static int8_t table[16];
static void init_table(void)
{
    for (int i = 0; i < 16; i++) {
        table[i] = (int8_t)(i * i + 3);
    }
}
static void look_up(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = table[in[i] & 15];
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[16];
    init_table();
    scale(x, a, 16);
    turn(a, b, 16);
    look_up(b, y);
}

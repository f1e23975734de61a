// A table that is made behind a layer which reads what the inference before has left: woven, 3 steps.
#include "layers.h"
static int8_t table[16];
static int8_t shift = 3;
static void make_table(void)
{
    for (int i = 0; i < 16; i++) {
        table[i] = (int8_t)(i * i + 3);
    }
}
static void look_up(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(table[in[i] & 15] + in[i] + shift);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    look_up(x, a);
    make_table();
    look_up(a, y);
}

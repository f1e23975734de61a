// A table that the first inference fills, with a flag that says so: woven, 2 steps.
#include "layers.h"
#include <stdbool.h>
static bool is_ready;
static int8_t table[16];
static void look_up(const int8_t *in, int8_t *out)
{
    if (!is_ready) {
        for (int i = 0; i < 16; i++) {
            table[i] = (int8_t)(i * i);
        }
        is_ready = true;
    }
    for (int i = 0; i < 16; i++) {
        out[i] = table[in[i] & 15];
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    look_up(a, y);
}

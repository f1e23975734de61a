// State that only some inferences change, at a place that data give: woven, 2 steps.
#include "layers.h"
static int8_t seen[8];
static void note(const int8_t *in, int8_t *out)
{
    if (in[0] > 0) {
        seen[in[1] & 7] = in[2];
    }
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(in[i] + seen[i & 7]);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    note(x, a);
    note(a, y);
}

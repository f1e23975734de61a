// A scratch pointer that may be NULL, and is: woven, 2 steps.
#include "layers.h"
static void perhaps(const int8_t *in, int8_t *out, int8_t *scratch)
{
    if (scratch) {
        turn(in, scratch, 16);
        in = scratch;
    }
    scale(in, out, 16);
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    perhaps(x, a, NULL);
    perhaps(a, y, 0);
}

// State in bit fields: woven, 2 steps.
#include "layers.h"
static struct {
    unsigned ready : 1, rounds : 3, mode : 4;
} flags = {0, 2, 9};
static void count(const int8_t *in, int8_t *out)
{
    scale(in, out, 16);
    flags.rounds++;
    out[0] = (int8_t)flags.rounds;
    out[1] = (int8_t)(flags.ready ? flags.mode : 5);
    flags.ready = 1;
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    count(x, a);
    turn(a, y, 16);
}

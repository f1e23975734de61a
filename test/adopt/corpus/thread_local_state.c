// State in a thread-local variable: refused at line 3: "thread-local".
#include "layers.h"
static _Thread_local int8_t calls;
static void count(const int8_t *in, int8_t *out)
{
    calls++;
    scale(in, out, 16);
    out[0] = calls;
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    count(x, a);
    turn(a, y, 16);
}

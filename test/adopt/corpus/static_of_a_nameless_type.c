// A static local of the entry whose type has no name: woven, 3 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    static struct {
        int8_t count, last[16];
    } state;
    int8_t a[16];
    scale(x, a, 16);
    state.count++;
    sum(a, state.last, state.last, 16);
    state.last[0] = state.count;
    turn(state.last, y, 16);
}

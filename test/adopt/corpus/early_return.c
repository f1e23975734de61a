// An early return that leaves outputs as they are: woven, 2 steps. Note: "early_return.c:3: output 'y' may be read or left".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    if (a[0] > 0) {
        return;
    }
    turn(a, y, 16);
}

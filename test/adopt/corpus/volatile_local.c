// A volatile local that steps share: woven, 1 step. Note: "volatile_local.c:5: local 'a' cannot be shared by steps: it is volatile".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    volatile int8_t a = x[1];
    scale(x, y, 16);
    y[0] = a;
    turn(y, y, 16);
    y[1] = a;
}

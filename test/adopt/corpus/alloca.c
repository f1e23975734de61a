// alloca of a constant size: woven, 2 steps.
#include "layers.h"
#include <alloca.h>
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t *a = alloca(16);
    scale(x, a, 16);
    turn(a, y, 16);
}

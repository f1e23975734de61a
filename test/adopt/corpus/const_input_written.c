// The entry casts const away and writes to its input: woven, 3 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t *in = (int8_t *)x;
    turn(x, y, 16);
    in[0] = y[1];
    scale(y, y, 16);
    sum(x, y, y, 16);
}

// Static buffers of the file that only carry values within an inference: woven, 3 steps.
#include "layers.h"
static int8_t first[16], second[16];
void run(const int8_t x[static 16], int8_t y[static 16])
{
    scale(x, first, 16);
    turn(first, second, 16);
    sum(first, second, y, 16);
}

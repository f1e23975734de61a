// An output that the entry adds to: woven, 2 steps. Note: "output_kept.c:3: output 'y' may be read or left".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    sum(y, a, y, 16);
}

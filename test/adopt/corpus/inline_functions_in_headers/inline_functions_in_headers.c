// static inline functions in headers, one of which counts its calls in a static of its own: woven, 3 steps.
#include "layers.h"
#include "kernels.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[16];
    counted(x, a);
    turn(a, b, 16);
    counted(b, y);
}

// A function pointer with one possible target: woven, 2 steps.
#include "layers.h"
typedef void (*kernel)(const int8_t *, int8_t *, int);
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    kernel k = scale;
    k(x, a, 16);
    k = turn;
    k(a, y, 16);
}

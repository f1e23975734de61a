// A local array of variable length: woven, 1 step. Note: "variable_length_local.c:6: run stays one step: the size of its local 'a' is known only when it runs".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t b[16];
    int8_t a[16 + (x[0] & 3)];
    scale(x, a, 16);
    turn(a, b, 16);
    sum(b, x, y, 16);
}

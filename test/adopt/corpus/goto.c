// A goto that ends the entry: woven, 1 step. Note: "goto.c:8: run stays one step: it has a goto".
#include "layers.h"
int run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16] = {0};
    scale(x, a, 16);
    if (a[2] > 50) {
        goto end;
    }
    turn(a, a, 16);
end:
    sum(a, x, y, 16);
    return 0;
}

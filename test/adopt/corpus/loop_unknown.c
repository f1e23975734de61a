// A loop whose rounds depend on data: woven, 2 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16] = {0};
    for (int i = 0; i < (x[0] & 7); i++) {
        sum(x, a, a, 16);
    }
    turn(a, y, 16);
}

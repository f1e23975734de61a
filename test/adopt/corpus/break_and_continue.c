// A loop around layers that break and continue leave: woven, 2 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16] = {0};
    for (int i = 0; i < 4; i++) {
        if (i == 1) {
            continue;
        }
        sum(x, a, a, 16);
        if (a[1] > 40) {
            break;
        }
    }
    turn(a, y, 16);
}

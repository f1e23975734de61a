// The entry calls itself: woven, 1 step. Note: "calls run, which is recursive".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    if (x[0] != 0) {
        int8_t a[16] = {0};
        turn(x, a, 16);
        a[0] = 0;
        run(a, y);
    } else {
        scale(x, y, 16);
    }
}

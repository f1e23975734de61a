// Types that are declared inside of the entry: woven, 4 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    struct pair {
        int8_t a[16], b[16];
    };
    int8_t t[16];
    struct pair p;
    scale(x, p.a, 16);
    turn(p.a, p.b, 16);
    sum(p.a, p.b, t, 16);
    turn(t, y, 16);
}

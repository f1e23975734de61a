// A pointer to one of two buffers that data choose: woven, 3 steps. Note: "pointer_chosen_by_data.c:7: local 'p' cannot be shared by steps: it holds a pointer".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[16];
    scale(x, a, 16);
    int8_t *p = a[0] > 0 ? a : b;
    turn(x, p, 16);
    sum(p, a, y, 16);
    turn(a, y, 8);
}

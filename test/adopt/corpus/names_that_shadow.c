// Locals with the names of globals, of functions and of each other: woven, 4 steps.
#include "layers.h"
static const int8_t k[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], a_2 = k[2];
    {
        int8_t k[16] = {0};
        k[1] = x[2];
        scale(k, a, 16);
    }
    {
        int8_t a[16];
        int8_t turn = x[1];
        sum(x, k, a, 16);
        a[0] = (int8_t)(turn + a_2);
        for (int i = 0; i < 16; i++) {
            int8_t a_2 = a[i];
            y[i] = a_2;
        }
    }
    sum(a, y, y, 16);
}

// malloc and calloc of constant sizes, freed: woven, 4 steps.
#include "layers.h"
int run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t *a = (int8_t *)malloc(2 * 16);
    if (!a) {
        return -1;
    }
    int8_t *b = calloc(16, 1);
    if (!b) {
        free(a);
        return -1;
    }
    scale(x, a, 16);
    turn(a, a + 16, 16);
    sum(a + 16, b, b, 16);
    sum(a, b, y, 16);
    free(a);
    free(b);
    return 0;
}

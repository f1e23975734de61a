// malloc of a size that data give: woven, 1 step. Note: "malloc_variable_size.c:6: local 'a' cannot be shared by steps: it holds a pointer".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t t[16];
    int8_t *a = malloc((size_t)(16 + (x[0] & 15)));
    scale(x, a, 16);
    turn(a, t, 16);
    free(a);
    sum(t, x, y, 16);
}

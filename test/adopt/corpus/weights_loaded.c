// Weights that are not constant and that another function loads: refused at line 3: "only load_weights writes".
#include "layers.h"
static int8_t weights[16];
void load_weights(const int8_t *from) { memcpy(weights, from, sizeof weights); }
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    sum(x, weights, a, 16);
    turn(a, y, 16);
}

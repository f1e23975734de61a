// A slice of a loop that carries a sum along: refused at line 7: "carries a value from each round to the next".
// --slice 0=2
#include "layers.h"
static void layer(const int8_t *in, int8_t *out)
{
    int8_t sum = 0;
    for (int i = 0; i < 16; i++) {
        sum = (int8_t)(sum * 3 + in[i]);
        out[i] = sum;
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    layer(x, y);
}

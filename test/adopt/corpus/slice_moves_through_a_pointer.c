// A slice of a loop whose body moves a counter on through a pointer: refused at line 6: "could change 'at' through the address".
// --slice 0=2
#include "layers.h"
static void layer(const int8_t *in, int8_t *out)
{
    int at = 0, *to = &at;
    for (int i = 0; i < 16; i++) {
        out[i] = in[at];
        *to += 1;
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    layer(x, y);
}

// Layers in slices, with a table made before the loop and a batch of one around it: woven, 3 steps.
// --slice auto:4B --slice 2=3
#include "layers.h"
#define LAYER static inline
LAYER void rows(const int8_t in[16], int8_t out[1][4][4])
{
    int8_t turned[4];
    for (int i = 0; i < 4; i++)
        turned[i] = (int8_t)(3 - i);
    for (int n = 0; n < 1; n++)
        for (int y = 0; y < 4; y++) {
            int8_t row[4];
            for (int x = 0; x < 4; x++)
                row[x] = in[y * 4 + turned[x]];
            for (int x = 0; x < 4; x++)
                out[n][y][x] = (int8_t)(row[x] + row[turned[x]] * 3 + y);
        }
}
int pairs(const int8_t *in, int8_t *out)
{
    const int8_t *from = in + 15;
    for (int8_t *to = out; to < out + 16; from -= 2, to += 2)
    {
        if (*from < 0) {
            to[0] = 0;
            to[1] = *from;
            continue;
        }
        to[0] = from[0];
        to[1] = from[-1];
    }
    return 0;
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[1][4][4], b[16];
    rows(x, a);
    if (pairs(a[0][0], b))
        return;
    scale(b, y, 16);
}

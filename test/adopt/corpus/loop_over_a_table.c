// A loop over a table of layers with a switch: woven, 3 steps.
#include "layers.h"
enum kind { SCALE, TURN };
static const struct {
    enum kind kind;
    int n;
} table[3] = {{SCALE, 16}, {TURN, 16}, {SCALE, 16}};
static void layer(int i, const int8_t *in, int8_t *out)
{
    switch (table[i].kind) {
        case SCALE:
            scale(in, out, table[i].n);
            break;
        case TURN:
            turn(in, out, table[i].n);
            break;
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t buffers[3][16];
    for (int i = 0; i < 3; i++) {
        layer(i, i == 0 ? x : buffers[i - 1], i == 2 ? y : buffers[i]);
    }
}

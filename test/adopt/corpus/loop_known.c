// A loop with a known number of rounds around layers, with two buffers that change places: woven, 5 steps.
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t buffers[2][16];
    int8_t *from = buffers[0], *to = buffers[1];
    memcpy(from, x, 16);
    for (uint8_t i = 0; i < 3; i++) {
        scale(from, to, 16);
        int8_t *other = from;
        from = to;
        to = other;
    }
    turn(from, y, 16);
}

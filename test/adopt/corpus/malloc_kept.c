// Memory from malloc that a static pointer keeps from inference to inference: refused at line 7: "memory from malloc".
#include "layers.h"
static int8_t *history;
static void remember(const int8_t *in, int8_t *out)
{
    if (!history) {
        history = calloc(16, 1);
    }
    sum(in, history, history, 16);
    turn(history, out, 16);
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    remember(a, y);
}

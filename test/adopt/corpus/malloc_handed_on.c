// A layer that allocates memory and returns it to the next one: woven, 2 steps. Note: "malloc_handed_on.c:13: local 'a' cannot be shared by steps: it holds a pointer".
#include "layers.h"
static int8_t *scaled(const int8_t *in)
{
    int8_t *out = malloc(16);
    scale(in, out, 16);
    return out;
}
static void drop(int8_t *memory) { free(memory); }
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t b[16];
    int8_t *a = scaled(x);
    turn(a, b, 16);
    drop(a);
    sum(b, x, y, 16);
}

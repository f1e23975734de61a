// A struct of pointers that layers get, filled once: woven, 2 steps. Note: "struct_of_pointers.c:12: local 'w' cannot be shared by steps: it holds a pointer".
#include "layers.h"
struct work {
    const int8_t *in;
    int8_t *out;
};
static void move(const struct work *w) { turn(w->in, w->out, 16); }
static void again(const struct work *w) { scale(w->out, w->out, 16); }
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    struct work w = {x, a};
    move(&w);
    again(&w);
    turn(a, y, 16);
}

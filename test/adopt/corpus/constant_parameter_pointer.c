// A parameter that leads to a struct with pointers: refused at line 7: "holds pointers".
#include "layers.h"
struct context {
    int8_t *scratch;
    int n;
};
void run(struct context *context, const int8_t x[static 16], int8_t y[static 16])
{
    scale(x, context->scratch, context->n);
    turn(context->scratch, y, 16);
}
// --parameter context=arena:16

// A layer with a variable number of arguments: woven, 2 steps. Note: "calls sum_of, which is recursive or cannot be inlined".
#include "layers.h"
#include <stdarg.h>
static void sum_of(int8_t *out, int count, ...)
{
    va_list list;
    va_start(list, count);
    memset(out, 0, 16);
    for (int i = 0; i < count; i++) {
        sum(out, va_arg(list, const int8_t *), out, 16);
    }
    va_end(list);
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    sum_of(y, 2, x, a);
}

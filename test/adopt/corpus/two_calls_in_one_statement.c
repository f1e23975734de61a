// Calls inside of expressions, with side effects: woven, 3 steps.
#include "layers.h"
static int8_t dot(const int8_t *a, int8_t *seen)
{
    int s = 0;
    for (int i = 0; i < 16; i++) {
        s += a[i] * (i - 5);
    }
    seen[0]++;
    return (int8_t)s;
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t seen[1] = {0}, i = 0;
    memset(y, 0, 16);
    y[i++] = (int8_t)(dot(x, seen) + dot(x + 0, seen));
    y[i++] = dot(y, seen), y[i] = seen[0];
}

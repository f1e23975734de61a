// A function pointer with two targets that data choose between: refused at line 10: "calls a function through a pointer whose target is not known".
#include "layers.h"
typedef void (*kernel)(const int8_t *, int8_t *, int);
static int8_t count;
static void counting(const int8_t *in, int8_t *out, int n) { count++; scale(in, out, n); out[0] = count; }
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    kernel k = x[0] > 0 ? counting : turn;
    k(x, a, 16);
    turn(a, y, 16);
}

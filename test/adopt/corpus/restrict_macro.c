// A macro that expands to restrict: woven, 2 steps.
#include "layers.h"
#define RESTRICT restrict
static void fast(const int8_t *RESTRICT in, int8_t *RESTRICT out) { turn(in, out, 16); }
void run(const int8_t *RESTRICT x, int8_t *RESTRICT y)
{
    int8_t a[16];
    fast(x, a);
    scale(a, y, 16);
}
// --parameter x=input:16 --parameter y=output:16

// A layer that leaves the address of a local behind for the next: woven, 1 step. Note: "leaves the address of memory that steps share".
#include "layers.h"
static const int8_t *kept;
static void keep(const int8_t *p) { kept = p; }
static void use(int8_t *out) { turn(kept, out, 16); }
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    keep(a);
    use(y);
}

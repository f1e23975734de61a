// Macros with do-while(0) and an early return: woven, 3 steps.
#include "layers.h"
#define CHECK(call)      \
    do {                 \
        int s_ = (call); \
        if (s_ != 0) {   \
            return s_;   \
        }                \
    } while (0)
static int checked(const int8_t *in, int8_t *out)
{
    if (in[0] == 77) {
        return -1;
    }
    scale(in, out, 16);
    return 0;
}
int run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16], b[16];
    CHECK(checked(x, a));
    CHECK(checked(a, b));
    CHECK(checked(b, y));
    return 0;
}

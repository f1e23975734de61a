// Status codes that end the entry, the last of which is returned: woven, 3 steps.
#include "layers.h"
static int careful(const int8_t *in, int8_t *out)
{
    turn(in, out, 16);
    return in[3] > 100 ? -3 : in[4] > 0;
}
int run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    memset(y, 0, 16);
    int status = careful(x, a);
    if (status < 0) {
        return status;
    }
    status = careful(a, y);
    return status;
}

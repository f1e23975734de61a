// A volatile variable, as of a device: refused at line 3: "volatile".
#include "layers.h"
volatile int8_t sensor = 3;
static void sample(const int8_t *in, int8_t *out)
{
    int8_t now = sensor;
    sensor = (int8_t)(now + 1);
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(in[i] + now);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    sample(x, a);
    turn(a, y, 16);
}

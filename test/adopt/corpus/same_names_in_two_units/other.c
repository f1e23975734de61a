#include <stdint.h>
static const int8_t bias = -9;
static void shift(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(in[15 - i] * bias);
    }
}
void other(const int8_t *in, int8_t *out) { shift(in, out); }

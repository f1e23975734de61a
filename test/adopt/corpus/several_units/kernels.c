#include "kernels.h"
extern const int8_t weights[16];
int8_t shared_buffer[32];
void weighted(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(in[i] * weights[i]);
    }
}

// Kernels, weights and a shared buffer in other translation units: woven, 3 steps.
#include "layers.h"
#include "kernels.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    weighted(x, shared_buffer);
    turn(shared_buffer, shared_buffer + 16, 16);
    weighted(shared_buffer + 16, y);
}

// A buffer that is aligned by arithmetic on its address: woven, 1 step. Note: "aligned_by_hand.c:6: local 'a' cannot be shared by steps: it holds a pointer".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t raw[32];
    int8_t *a = (int8_t *)(((uintptr_t)raw + 15) & ~(uintptr_t)15);
    scale(x, a, 16);
    turn(a, y, 16);
}

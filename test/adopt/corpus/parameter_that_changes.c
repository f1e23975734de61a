// A parameter that moves on by what data say: woven, 1 step. Note: "its parameter 'x' changes in a way that is not known before it runs".
#include "layers.h"
void run(const int8_t x[static 17], int8_t y[static 16])
{
    int8_t a[16];
    x += x[0] & 1;
    scale(x, a, 16);
    turn(a, y, 16);
}

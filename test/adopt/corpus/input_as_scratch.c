// An input that is not const and is worked on in place: woven, 3 steps.
#include "layers.h"
void run(int8_t x[static 16], int8_t y[static 16])
{
    sum(x, x, x, 16);
    turn(x, y, 16);
    sum(x, y, y, 16);
}
// --parameter x=input:16

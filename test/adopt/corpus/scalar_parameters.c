// Sizes as parameters by value, and one that nothing says: refused at line 3: "parameter 'n' of run is passed by value (int), and nothing says its value".
#include "layers.h"
void run(const int8_t x[static 16], int8_t y[static 16], int n)
{
    int8_t a[16];
    scale(x, a, n);
    turn(a, y, n);
}

// An entry that prints: refused at line 9: "calls printf, which no source defines".
#include "layers.h"
#include <stdio.h>
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    printf("%s", a[0] == 0 ? "" : "");
    turn(a, y, 16);
}

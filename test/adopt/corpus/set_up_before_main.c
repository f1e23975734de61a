// A constructor that fills a table before main: refused at line 4: "before main".
#include "layers.h"
static int8_t table[16];
__attribute__((constructor)) static void fill(void)
{
    for (int i = 0; i < 16; i++) {
        table[i] = (int8_t)(i * 5);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    sum(x, table, a, 16);
    turn(a, y, 16);
}

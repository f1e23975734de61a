// Locals with initial values of many forms: woven, 3 steps.
#include "layers.h"
struct point {
    int8_t a;
    struct {
        int16_t b[3];
        int8_t c;
    } inner;
};
void run(const int8_t x[static 16], int8_t y[static 16])
{
    char text[16] = "fifteen letters";
    struct point points[2] = {[1] = {.inner = {{1, [2] = 300}, 7}}, [0].a = 4};
    const int8_t n = (int8_t)(x[0] + 1);
    int8_t mixed[16] = {x[1], n, [7] = x[2]};
    points[0].inner.b[1] = x[3];
    sum((const int8_t *)text, mixed, mixed, 16);
    turn(mixed, y, 16);
    for (int i = 0; i < 3; i++) {
        y[i] = (int8_t)(y[i] + points[0].inner.b[i] + points[1].inner.b[i] + points[i & 1].inner.c + points[0].a);
    }
}

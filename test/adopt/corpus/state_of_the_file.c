// A static variable of the file that keeps its value between inferences: woven, 3 steps.
#include "layers.h"
static int8_t history[16] = {4, 5, 6};
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    scale(x, a, 16);
    sum(a, history, history, 16);
    turn(history, y, 16);
}

// A constant struct of pointers to weights: woven, 2 steps.
#include "layers.h"
struct layer {
    const int8_t *weights;
    int n;
};
static const int8_t first[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2}, second[16] = {9, 1, 8, 2, 7};
static const struct layer model[2] = {{first, 16}, {second, 16}};
static void weigh(const struct layer *layer, const int8_t *in, int8_t *out)
{
    for (int i = 0; i < layer->n; i++) {
        out[i] = (int8_t)(in[layer->n - 1 - i] * layer->weights[i]);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    weigh(&model[0], x, a);
    weigh(&model[1], a, y);
}

#include "net.h"

static const int8_t first[NET_HIDDEN][NET_INPUTS] = {
    {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, -5, 8, 9, -7, 9, 3},  {2, 3, -8, 4, 6, 2, -6, 4, 3, 3, 8, -3, 2, 7, 9, -5},
    {0, 2, 8, -8, 4, 1, 9, 7, -1, 6, 9, 3, 9, -9, 3, 7},    {5, 1, 0, 5, -8, 2, 0, 9, 7, 4, -9, 4, 4, 5, -9, 2},
    {3, 0, 7, 8, 1, 6, -4, 0, 6, 2, 8, 6, 2, 0, 8, -9},     {9, 8, 6, 2, -8, 0, 3, 4, 8, -2, 5, 3, 4, 2, 1, 1},
    {7, 0, 6, 7, 9, -8, 2, 1, 4, 8, 0, -8, 6, 5, 1, 3},     {2, 8, 2, 3, 0, 6, -6, 4, 7, 0, 9, 3, 8, -4, 4, 6},
    {0, 9, 5, 5, 0, 5, 8, 2, -2, 3, 1, 7, 2, 5, 3, -5},     {9, 4, 0, 8, 1, 2, 8, 4, 8, 1, -1, 1, 7, 4, 5, 0},
    {2, 8, 4, 1, 0, 2, 7, 0, 1, 9, 3, 8, -5, 2, 1, 1},      {0, 5, 5, 5, 9, 6, 4, 4, 6, 2, 2, 9, 4, 8, 9, -5},
};
static const int8_t second[NET_OUTPUTS][NET_HIDDEN] = {
    {4, 9, 3, 0, 3, 8, 1, 9, 6, 4, 4, 2},
    {8, 8, -1, 0, 9, 7, 5, -6, 6, 5, 9, 3},
    {3, 4, 4, 6, 1, 2, -8, 4, 7, 5, 6, 4},
    {8, 2, 3, 3, -7, 8, 6, 7, 8, 3, 1, 6},
};

RAM_FUNC static void hidden_layer(const int8_t *x, int32_t *hidden)
{
    for (int i = 0; i < NET_HIDDEN; i++) {
        int32_t sum = 0;
        for (int j = 0; j < NET_INPUTS; j++)
            sum += first[i][j] * x[j];
        hidden[i] = sum > 0 ? sum : 0;
    }
}

RAM_FUNC static void output_layer(const int32_t *hidden, int8_t *y)
{
    for (int i = 0; i < NET_OUTPUTS; i++) {
        int32_t sum = 0;
        for (int j = 0; j < NET_HIDDEN; j++)
            sum += second[i][j] * (hidden[j] / 64);
        y[i] = (int8_t)(sum / 128);
    }
}

int net_infer(const int8_t *x, int8_t *y, int32_t *scratch, int inputs)
{
    if (inputs != NET_INPUTS)
        return -1;
    hidden_layer(x, scratch);
    output_layer(scratch, y);
    return 0;
}

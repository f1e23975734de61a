// Multi-dimensional array parameters of the entry and of its layers: woven, 2 steps.
#include "layers.h"
static void transpose(const float in[restrict 1][4][4], float out[restrict 1][4][4])
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            out[0][i][j] = in[0][j][i];
        }
    }
}
static void twice(const float in[restrict 4][4], float out[restrict 4][4])
{
    for (int i = 0; i < 16; i++) {
        out[i / 4][i % 4] = 2.0f * in[i / 4][i % 4];
    }
}
void run(const float x[restrict 1][4][4], float y[restrict 1][4][4])
{
    float t[1][4][4];
    transpose(x, t);
    twice(t[0], y[0]);
}

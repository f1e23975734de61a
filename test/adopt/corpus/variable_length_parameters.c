// Parameters of variable length: woven, 2 steps.
#include "layers.h"
static void transpose(int n, int m, const int8_t in[n][m], int8_t out[m][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            out[j][i] = in[i][j];
        }
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    int8_t a[16];
    transpose(2, 8, (const int8_t(*)[8])x, (int8_t(*)[2])a);
    scale(a, y, 16);
}

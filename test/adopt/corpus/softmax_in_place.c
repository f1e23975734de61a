// Softmax in place on the output: woven, 3 steps.
#include <math.h>
static void dense(const float *in, float *out)
{
    for (int i = 0; i < 4; i++) {
        out[i] = in[i] * 1e-3f + in[3 - i] * 2e-3f;
    }
}
static void shift(float *values)
{
    float top = values[0];
    for (int i = 1; i < 4; i++) {
        top = values[i] > top ? values[i] : top;
    }
    for (int i = 0; i < 4; i++) {
        values[i] = expf(values[i] - top);
    }
}
static void normalise(float *values)
{
    float sum = 0.0f;
    for (int i = 0; i < 4; i++) {
        sum += values[i];
    }
    for (int i = 0; i < 4; i++) {
        values[i] /= sum;
    }
}
void run(const float x[static 4], float y[static 4])
{
    dense(x, y);
    shift(y);
    normalise(y);
}

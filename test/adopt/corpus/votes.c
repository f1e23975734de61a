// votes[i] += 1, which is not idempotent across a split: woven, 4 steps.
#include "layers.h"
static void tree(const int8_t *features, int8_t *votes, int feature)
{
    votes[features[feature] > 10 ? 1 : features[feature] < -10 ? 2 : 0] += 1;
}
void run(const int8_t x[static 16], int8_t y[static 4])
{
    int8_t votes[4] = {0};
    tree(x, votes, 0);
    tree(x, votes, 5);
    tree(x, votes, 9);
    memcpy(y, votes, sizeof votes);
}

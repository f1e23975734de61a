// votes[i] += 1 in a static array that each inference clears: woven, 4 steps.
#include "layers.h"
static int votes[4];
static void tree(const int8_t *features, int feature)
{
    votes[features[feature] > 10 ? 1 : features[feature] < -10 ? 2 : 0] += 1;
}
int run(const int8_t x[static 16], int8_t y[static 4])
{
    memset(votes, 0, sizeof votes);
    tree(x, 0);
    tree(x, 5);
    int best = 0;
    for (int i = 0; i < 4; i++) {
        y[i] = (int8_t)votes[i];
        best = votes[i] > votes[best] ? i : best;
    }
    return best;
}

// State, and a local of several steps, of types whose sizes are the target's: woven, 4 steps.
#include "layers.h"
#include <stddef.h>
enum kind { first = 3, later };
struct record {
    long count;
    enum kind kind;
    int8_t values[16];
    size_t seen;
};
static struct {
    void *unused;
    struct record r;
} state;
static void begin(const int8_t *in, struct record *r)
{
    r->count = in[0];
    r->kind = in[1] > 0 ? first : later;
    scale(in, r->values, 16);
    r->seen = (size_t)in[2] & 7;
}
static void remember(const struct record *r)
{
    state.r.count += r->count;
    state.r.kind = r->kind;
    state.r.seen += r->seen;
}
static void mix(const struct record *r, int8_t *out)
{
    for (int i = 0; i < 16; i++) {
        out[i] = (int8_t)(r->values[15 - i] + state.r.count + (long)state.r.seen * i + state.r.kind);
    }
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    struct record r;
    begin(x, &r);
    remember(&r);
    scale(state.r.values, state.r.values, 16);
    mix(&r, y);
}

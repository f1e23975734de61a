// setjmp and longjmp: refused at line 15: "calls _setjmp, which no source defines".
#include "layers.h"
#include <setjmp.h>
static jmp_buf back;
static void risky(const int8_t *in, int8_t *out)
{
    if (in[0] > 50) {
        longjmp(back, 1);
    }
    turn(in, out, 16);
}
void run(const int8_t x[static 16], int8_t y[static 16])
{
    if (setjmp(back) == 0) {
        risky(x, y);
    } else {
        scale(x, y, 16);
    }
}

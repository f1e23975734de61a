/* The author's own test: left out, as a woven application has a main of its own. */
#include <stdio.h>
#include "net.h"

int main(void)
{
    int32_t scratch[NET_HIDDEN];
    int8_t x[NET_INPUTS] = {1, 2, 3}, y[NET_OUTPUTS];
    printf("%d %d\n", net_infer(x, y, scratch, NET_INPUTS), y[0]);
    return 0;
}

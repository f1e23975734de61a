// The entry returns a pointer to its result: refused at line 4: "returns a pointer".
#include "layers.h"
static int8_t result[16];
const int8_t *run(const int8_t x[static 16])
{
    scale(x, result, 16);
    turn(result, result + 8, 8);
    return result;
}

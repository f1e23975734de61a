// A header-only library with an implementation macro and a global of its own: woven, 2 steps.
#define LIBRARY_IMPLEMENTATION
#include "library.h"
void run(const int8_t x[static 16], int8_t y[static 16])
{
    library_first(x);
    library_second(y);
}

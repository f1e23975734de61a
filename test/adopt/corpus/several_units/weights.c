#include <stdint.h>
const int8_t weights[16] = {3, -1, 2, 7, 5, 1, 1, 9, -3, 2, 4, 6, 8, 1, 3, 5};

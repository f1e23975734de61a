#include "clamp.h"

int32_t base_clamp(int32_t value) {
    return value > 10 ? 10 : value;
}

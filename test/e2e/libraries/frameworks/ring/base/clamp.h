#pragma once
#include <stdint.h>
int32_t base_clamp(int32_t value);

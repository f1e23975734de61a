#pragma once
#include <stdint.h>

#include "ring_config.h"

int32_t ring_add(const int32_t* a, const int32_t* b);
int32_t ring_sum(const int32_t* a);
const char* ring_variant(void);

/* A network that somebody wrote by hand: two layers, working memory of the caller's. */
#ifndef NET_H
#define NET_H
#include <stdint.h>
#include "vendor_memory.h" /* not there: defines RAM_FUNC on the real board */

#define NET_INPUTS 16
#define NET_HIDDEN 12
#define NET_OUTPUTS 4

int net_infer(const int8_t* x, int8_t* y, int32_t* scratch, int inputs);
#endif

#ifndef LIBRARY_H
#define LIBRARY_H
#include "layers.h"
void library_first(const int8_t* in);
void library_second(int8_t* out);
#ifdef LIBRARY_IMPLEMENTATION
int8_t library_buffer[16];
void library_first(const int8_t* in) {
    scale(in, library_buffer, 16);
}
void library_second(int8_t* out) {
    turn(library_buffer, out, 16);
}
#endif
#endif

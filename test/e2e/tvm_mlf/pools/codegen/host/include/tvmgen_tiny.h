#ifndef TVMGEN_TINY_H_
#define TVMGEN_TINY_H_
#include <stdint.h>

struct tvmgen_tiny_inputs {
    void* x;
};

struct tvmgen_tiny_outputs {
    void* output;
};

int32_t tvmgen_tiny_run(struct tvmgen_tiny_inputs* inputs, struct tvmgen_tiny_outputs* outputs);

#define TVMGEN_TINY_WORKSPACE_SIZE 48

#endif

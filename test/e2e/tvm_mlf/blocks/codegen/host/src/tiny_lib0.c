#include "tvm/runtime/c_runtime_api.h"
#include <tvmgen_tiny.h>

TVM_DLL int32_t tvmgen_tiny___tvm_main__(void* first_buffer_var, void* second_buffer_var, void* output_buffer_var);

int32_t tvmgen_tiny_run(struct tvmgen_tiny_inputs* inputs, struct tvmgen_tiny_outputs* outputs) {
  return tvmgen_tiny___tvm_main__(inputs->first, inputs->second, outputs->output);
}

#include "tvm/runtime/c_runtime_api.h"
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((section(".rodata.tvm"), ))
static const struct global_const_workspace {
  int32_t bias[4] __attribute__((aligned(16)));
} global_const_workspace = {
  .bias = {100, -200, 300, -400},
};  // of total size 16 bytes
__attribute__((section(".bss.noinit.tvm"), aligned(16)))
static uint8_t global_workspace[48];
#include <tvmgen_tiny.h>
TVM_DLL int32_t tvmgen_tiny___tvm_main__(void* x, void* output0, uint8_t* global_const_workspace_0_var, uint8_t* global_workspace_1_var);
int32_t tvmgen_tiny_run(struct tvmgen_tiny_inputs* inputs, struct tvmgen_tiny_outputs* outputs) {
  return tvmgen_tiny___tvm_main__(inputs->x, outputs->output, ((uint8_t*)&global_const_workspace), ((uint8_t*)&global_workspace));
}
#ifdef __cplusplus
}
#endif

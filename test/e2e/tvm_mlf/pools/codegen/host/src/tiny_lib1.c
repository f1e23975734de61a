// Written by hand in the form of TVM's ahead-of-time executor: all memory planned into pools.
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"

TVM_DLL int32_t tvmgen_tiny_fused_widen(int8_t* x, int32_t* wide, uint8_t* global_workspace_1_var) {
  void* twice_let = (&(global_workspace_1_var[32]));
  for (int32_t i = 0; i < 8; ++i) {
    ((int16_t*)twice_let)[i] = (int16_t)(x[i] * 2);
  }
  for (int32_t i_1 = 0; i_1 < 8; ++i_1) {
    wide[i_1] = ((int16_t*)twice_let)[i_1];
  }
  return 0;
}

TVM_DLL int32_t tvmgen_tiny_fused_sum(int32_t* wide, int32_t* bias, int32_t* output) {
  for (int32_t i = 0; i < 4; ++i) {
    output[i] = wide[i] + wide[i + 4] + bias[i];
  }
  return 0;
}

TVM_DLL int32_t tvmgen_tiny___tvm_main__(int8_t* x_buffer_var, int32_t* output_buffer_var, uint8_t* global_const_workspace_0_var, uint8_t* global_workspace_1_var) {
  void* constant_0_let = (&(global_const_workspace_0_var[0]));
  void* sid_1_let = (&(global_workspace_1_var[0]));
  if (tvmgen_tiny_fused_widen(x_buffer_var, sid_1_let, global_workspace_1_var) != 0 ) return -1;
  if (tvmgen_tiny_fused_sum(sid_1_let, constant_0_let, output_buffer_var) != 0 ) return -1;
  return 0;
}

// Written by hand in the form of TVM's ahead-of-time executor: blocks of workspace, checked status.
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_tiny_fused_add(int8_t* p0, int8_t* p1, int16_t* T_add) {
  for (int32_t i = 0; i < 8; ++i) {
    T_add[i] = ((int16_t)p0[i]) + ((int16_t)p1[i]);
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_tiny_fused_scale(int16_t* p0, int16_t* T_scale) {
  void* twice = TVMBackendAllocWorkspace(1, 0, (uint64_t)16, 0, 16);
  if (twice == NULL) {
    return -1;
  }
  for (int32_t i = 0; i < 8; ++i) {
    ((int16_t*)twice)[i] = (int16_t)(p0[i] * 2);
  }
  for (int32_t i_1 = 0; i_1 < 8; ++i_1) {
    T_scale[i_1] = ((int16_t*)twice)[7 - i_1];
  }
  if (TVMBackendFreeWorkspace(1, 0, twice) != 0) {
    return -1;
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_tiny_fused_pool(int16_t* p0, int8_t* output) {
  for (int32_t i = 0; i < 4; ++i) {
    int32_t sum = (p0[i * 2] + p0[i * 2 + 1]) / 4;
    output[i] = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);
  }
  return 0;
}

#ifdef __cplusplus
extern "C"
#endif
TVM_DLL int32_t tvmgen_tiny___tvm_main__(void* first_buffer_var, void* second_buffer_var, void* output_buffer_var) {
  void* sid_3 = TVMBackendAllocWorkspace(1, 0, (uint64_t)16, 0, 8);
  if (sid_3 == NULL) {
    return -1;
  }
  if (tvmgen_tiny_fused_add(first_buffer_var, second_buffer_var, sid_3) != 0 ) return -1;
  void* sid_4 = TVMBackendAllocWorkspace(1, 0, (uint64_t)16, 0, 8);
  if (sid_4 == NULL) {
    return -1;
  }
  if (tvmgen_tiny_fused_scale(sid_3, sid_4) != 0 ) return -1;
  if (tvmgen_tiny_fused_pool(sid_4, output_buffer_var) != 0 ) return -1;
  if (TVMBackendFreeWorkspace(1, 0, sid_4) != 0) {
    return -1;
  }
  if (TVMBackendFreeWorkspace(1, 0, sid_3) != 0) {
    return -1;
  }
  return 0;
}

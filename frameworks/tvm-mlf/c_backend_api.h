// What ahead-of-time C of TVM needs of TVM's headers, and no more. Stands for tvm/runtime/c_runtime_api.h,
// tvm/runtime/c_backend_api.h and tvm/runtime/crt/…: all of them include this file.
#ifndef METAMORPH_TVM_C_BACKEND_API_H
#define METAMORPH_TVM_C_BACKEND_API_H

#include <stddef.h>
#include <stdint.h>

#ifndef TVM_DLL
#define TVM_DLL
#endif
#ifndef TVM_EXTERN_C
#ifdef __cplusplus
#define TVM_EXTERN_C extern "C"
#else
#define TVM_EXTERN_C
#endif
#endif

// Memory for one kernel, 16-byte aligned; NULL: there is not enough. Freed in the opposite order.
TVM_EXTERN_C void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int type_code, int type_bits);
// 0; or -1 where `memory` is not what was given out last.
TVM_EXTERN_C int TVMBackendFreeWorkspace(int device_type, int device_id, void *memory);

#endif

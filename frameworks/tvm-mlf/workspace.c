// TVMBackendAllocWorkspace and TVMBackendFreeWorkspace on a stack in static memory of TVM_WORKSPACE_BYTES: no heap, no
// platform functions. Each block is followed by its own size.
#include "c_backend_api.h"

#ifndef TVM_WORKSPACE_BYTES
#error "define TVM_WORKSPACE_BYTES: how much memory kernels need at once"
#endif

#define ALIGNMENT 16U

static _Alignas(ALIGNMENT) uint8_t stack[(TVM_WORKSPACE_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT];
static size_t used;

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int type_code, int type_bits) {
    (void)device_type;
    (void)device_id;
    (void)type_code;
    (void)type_bits;
    const size_t room = sizeof stack - used;
    if (room < ALIGNMENT || bytes > room - ALIGNMENT) {
        return NULL;
    }
    const size_t size = ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint8_t *const memory = stack + used;
    used += size + ALIGNMENT;
    *(size_t *)(void *)(stack + used - ALIGNMENT) = size;  // after the block: where the next free looks
    return memory;
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *memory) {
    (void)device_type;
    (void)device_id;
    if (used < ALIGNMENT) {
        return -1;
    }
    const size_t size = *(const size_t *)(const void *)(stack + used - ALIGNMENT);
    if ((uint8_t *)memory != stack + used - ALIGNMENT - size) {
        return -1;
    }
    used -= size + ALIGNMENT;
    return 0;
}

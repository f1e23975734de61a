/* Records which bytes of which object each step of an inference entry touches. Linked with the code under test, which
 * calls these callbacks before each load and store (clang -fsanitize-coverage=trace-loads,trace-stores), and with a
 * table of objects made for it. Writes one byte for each step and each byte of each object: bit 0 read, bits 1 and 2
 * how often written (3: more), bit 3 read before the step had written it. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
    unsigned char* begin;
    size_t bytes;
};

extern const struct object recorded_objects[];
extern const size_t recorded_object_count;
extern const size_t recorded_step_count;
void recorded_entry(void);

static unsigned char* flags;
static size_t bytes_per_step;
static size_t current_step = (size_t)-1;

void recorded_step(size_t step) {
    current_step = step;
}

static void record(const unsigned char* address, size_t size, int is_write) {
    if (current_step == (size_t)-1) {
        return;
    }
    unsigned char* of_object = flags + current_step * bytes_per_step;
    for (size_t o = 0; o < recorded_object_count; ++o) {
        const struct object* object = &recorded_objects[o];
        if (address >= object->begin && address < object->begin + object->bytes) {
            const size_t at = (size_t)(address - object->begin);
            for (size_t i = at; i < at + size && i < object->bytes; ++i) {
                if (!is_write) {
                    of_object[i] |= (of_object[i] & 6) == 0 ? 9 : 1;
                } else if ((of_object[i] & 6) != 6) {
                    of_object[i] = (unsigned char)(of_object[i] + 2);
                }
            }
            return;
        }
        of_object += object->bytes;
    }
}

#define CALLBACKS(bytes)                               \
    void __sanitizer_cov_load##bytes(void* address) {  \
        record(address, bytes, 0);                     \
    }                                                  \
    void __sanitizer_cov_store##bytes(void* address) { \
        record(address, bytes, 1);                     \
    }
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)

void __sanitizer_cov_8bit_counters_init(char* begin, char* end) {
    (void)begin, (void)end;
}

void* __wrap_memcpy(void* to, const void* from, size_t n) {
    record(from, n, 0);
    record(to, n, 1);
    unsigned char* out = to;
    const unsigned char* in = from;
    for (size_t i = 0; i < n; ++i) {
        out[i] = in[i];
    }
    return to;
}

void* __wrap_memmove(void* to, const void* from, size_t n) {
    record(from, n, 0);
    record(to, n, 1);
    unsigned char* out = to;
    const unsigned char* in = from;
    if (out < in) {
        for (size_t i = 0; i < n; ++i) {
            out[i] = in[i];
        }
    } else {
        for (size_t i = n; i-- > 0;) {
            out[i] = in[i];
        }
    }
    return to;
}

void* __wrap_memset(void* to, int value, size_t n) {
    record(to, n, 1);
    for (size_t i = 0; i < n; ++i) {
        ((unsigned char*)to)[i] = (unsigned char)value;
    }
    return to;
}

int main(int argc, char** argv) {
    for (size_t o = 0; o < recorded_object_count; ++o) {
        bytes_per_step += recorded_objects[o].bytes;
    }
    flags = calloc(recorded_step_count, bytes_per_step ? bytes_per_step : 1);
    FILE* file = argc == 2 && flags ? fopen(argv[1], "wb") : NULL;
    if (!file) {
        return 2;
    }
    recorded_entry();
    const size_t total = recorded_step_count * bytes_per_step;
    return fwrite(flags, 1, total, file) == total && fclose(file) == 0 ? 0 : 3;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * See mm_fram_model.h.
 */
#include "mm_fram_model.h"

enum {
    FRAM_NONE = 0x00,
    FRAM_WRITE = 0x02,
    FRAM_READ = 0x03,
    FRAM_WRDI = 0x04,
    FRAM_RDSR = 0x05,
    FRAM_WREN = 0x06,
    FRAM_RDID = 0x9F
};
enum { FRAM_LATCH = 0x02, FRAM_PROTECTED = 0x0C, FRAM_SILENT = 0xFF };

void mm_fram_select(mm_fram_model_t* fram) {
    fram->opcode = FRAM_NONE;
    fram->address = 0;
    fram->shifted = 0;
}

void mm_fram_deselect(mm_fram_model_t* fram) {
    if (fram->opcode == FRAM_WREN) {
        fram->status |= FRAM_LATCH;
    } else if (fram->opcode == FRAM_WRDI || fram->opcode == FRAM_WRITE) {
        fram->status &= (uint8_t)~FRAM_LATCH;
    }
    fram->opcode = FRAM_NONE;
}

static uint8_t mm_fram_access(mm_fram_model_t* fram, uint8_t in) {
    const uint32_t at = fram->address % fram->chip->bytes;
    fram->address = at + 1u;
    if (fram->opcode == FRAM_READ) {
        return fram->memory[at];
    }
    if ((fram->status & FRAM_LATCH) != 0u && (fram->status & FRAM_PROTECTED) == 0u) {
        fram->memory[at] = in;
    } else {
        fram->refused++;
    }
    return FRAM_SILENT;
}

uint8_t mm_fram_shift(mm_fram_model_t* fram, uint8_t in) {
    const uint32_t position = fram->shifted++;
    if (position == 0u) {
        fram->opcode = in;
        return FRAM_SILENT;
    }
    switch (fram->opcode) {
        case FRAM_RDSR:
            return fram->status;
        case FRAM_RDID:
            return position <= fram->chip->id_bytes ? fram->chip->id[position - 1u] : 0u;
        case FRAM_READ:
        case FRAM_WRITE:
            if (position <= fram->chip->address_bytes) {
                fram->address = fram->address << 8 | in;
                return FRAM_SILENT;
            }
            return mm_fram_access(fram, in);
        default:
            return FRAM_SILENT;
    }
}

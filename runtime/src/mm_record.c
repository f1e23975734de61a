/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Seals and the order of commits. The CRC goes bit by bit: 192 steps a commit are less than the bus takes for the
 * record, and a table would cost more bytes than the whole file.
 */
#include "mm_record.h"

uint32_t mm_seal_of(const void* body, uint32_t bytes) {
    const uint8_t* at = (const uint8_t*)body;
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        for (unsigned bit = 0; bit < 8u; bit++) {
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc | MM_SEAL_BITS;
}

bool mm_follows(uint32_t a, uint32_t b) {
    const uint32_t ahead = a - b;
    return ahead != 0u && ahead < 0x80000000u;
}

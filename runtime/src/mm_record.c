/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Seals and the order of commits. The CRC goes by half bytes: 48 steps a record, with a table of 64 bytes. By bits it
 * takes a thousand instructions, more than all else in a commit; by bytes the table has 1 KiB.
 */
#include "mm_record.h"

/* What four zero bits make of each remainder: CRC-32 with the reflected polynomial 0xEDB88320. */
static const uint32_t mm_crc_of_nibble[16] = {
    0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
    0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};

uint32_t mm_seal_of(const void* body, uint32_t bytes) {
    const uint8_t* at = (const uint8_t*)body;
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        crc = (crc >> 4) ^ mm_crc_of_nibble[crc & 15u];
        crc = (crc >> 4) ^ mm_crc_of_nibble[crc & 15u];
    }
    return ~crc | MM_SEAL_BITS;
}

bool mm_follows(uint32_t a, uint32_t b) {
    const uint32_t ahead = a - b;
    return ahead != 0u && ahead < 0x80000000u;
}

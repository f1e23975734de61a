/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Seals and the order of commits. The CRC goes by half bytes, with a table of 64 bytes: bit by bit it takes a thousand
 * instructions, more than all else in a commit; by bytes the table has 1 KiB. A word is taken at once: the CRC is
 * reflected, so on a little-endian processor its bytes come in their order.
 */
#include "mm_record.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "seals are computed for little-endian processors"
#endif

/* What four zero bits make of each remainder: CRC-32 with the reflected polynomial 0xEDB88320. */
static const uint32_t mm_crc_of_nibble[16] = {
    0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
    0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};

/* Macros: compilers that optimise for size would make functions of them, and calls of those. */
#define MM_CRC_NIBBLE(crc) ((crc) = ((crc) >> 4) ^ mm_crc_of_nibble[(crc) & 15u])
#define MM_CRC_HALF(crc) (MM_CRC_NIBBLE(crc), MM_CRC_NIBBLE(crc), MM_CRC_NIBBLE(crc), MM_CRC_NIBBLE(crc))

static uint32_t mm_crc_of(uint32_t crc, const uint32_t* words, uint32_t count) {
    for (; count > 0u; count--) {
        crc ^= *words++;
#ifdef __OPTIMIZE_SIZE__
        for (unsigned half = 0; half < 2u; half++) {
            (void)MM_CRC_HALF(crc);
        }
#else
        (void)MM_CRC_HALF(crc);
        (void)MM_CRC_HALF(crc);
#endif
    }
    return crc;
}

uint32_t mm_seal_begin(uint64_t build_id) {
    const uint32_t words[2] = {(uint32_t)build_id, (uint32_t)(build_id >> 32)};
    return mm_crc_of(0xFFFFFFFFu, words, 2);
}

uint32_t mm_seal_end(uint32_t begun, const mm_record_t* record) {
    const uint32_t* words = (const uint32_t*)(const void*)record;
    return ~mm_crc_of(begun, words + 2, sizeof *record / sizeof *words - 2u) | MM_SEAL_BITS;
}

uint32_t mm_seal_of(const mm_record_t* record) {
    return mm_seal_end(mm_seal_begin(record->build_id), record);
}

bool mm_follows(uint32_t a, uint32_t b) {
    const uint32_t ahead = a - b;
    return ahead != 0u && ahead < 0x80000000u;
}

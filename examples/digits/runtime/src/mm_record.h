/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The first MM_NVM_HEADER_BYTES of NVM: two record slots, and a tally of boots for each (runtime/SPEC.md).
 *
 * A record is a *sealed block*: a seal word and a body. It is valid if its seal is what mm_seal_of gives for its body,
 * which is never MM_SEAL_NONE. Who rewrites it writes MM_SEAL_NONE, then the body, then the seal, each durable before
 * the next: while the body is incomplete, the seal is MM_SEAL_NONE, so no content of the body can make it valid. Nor is
 * the body read then. A seal has no byte that is 0: of whichever bytes a seal is written or wiped first, it fits
 * nothing until the last is there. Seal and body of a record, and the two slots, have no aligned 16 bytes in common:
 * whatever a torn write unit of up to 16 bytes leaves behind, it leaves in one of them.
 *
 * A tally is a byte and, in other 16 bytes, its complement; it counts if the two agree. A torn unit spoils one of them,
 * which then agrees with the other only if it holds the count before or the count after. Tallies are no part of a
 * record: they are all that is written while it is active.
 */
#ifndef METAMORPH_MM_RECORD_H
#define METAMORPH_MM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metamorph/mm_runtime.h"

#define MM_SEAL_NONE 0u
#define MM_SEAL_BYTES 4u
#define MM_SEAL_BITS 0x01010101u /* set in every seal, so that none has a byte that is 0 */

#define MM_SLOT_COUNT 2u
#define MM_SLOT_BYTES 48u /* seal, 12 unused, body, 8 unused */
#define MM_SLOT_BODY_AT 16u

#define MM_TALLIES_AT 96u /* a byte a slot */
#define MM_CHECKS_AT 112u /* its complement */
/* A tally goes no further: each count more is one more memory that boots may find. */
#ifndef MM_TALLY_MAX
#define MM_TALLY_MAX (MM_ATTEMPTS_MAX + 1u)
#endif

/* The state of the whole application that is not in homes. */
typedef struct mm_record {
    uint64_t build_id;
    uint32_t sequence;  /* of the commit; serial arithmetic (RFC 1982): 0 follows 0xFFFFFFFF */
    uint32_t inference; /* inferences completed */
    uint32_t selectors; /* bit set: copy 1 of the double-buffered variable is the live one */
    mm_task_id_t task;  /* to be run next */
    uint16_t layout;
} mm_record_t;

_Static_assert(sizeof(mm_record_t) == 24, "the record has no padding");
_Static_assert(offsetof(mm_record_t, build_id) == 0, "seals begin with the build id");
_Static_assert(MM_SLOT_BODY_AT + sizeof(mm_record_t) <= MM_SLOT_BYTES, "the record fits its slot");
_Static_assert(MM_SLOT_COUNT* MM_SLOT_BYTES <= MM_TALLIES_AT, "slots and tallies do not overlap");
_Static_assert(MM_TALLIES_AT + 16u <= MM_CHECKS_AT, "a tally and its complement do not share 16 bytes");
_Static_assert(MM_TALLY_MAX > MM_ATTEMPTS_MAX && MM_TALLY_MAX <= 255u, "a tally is a byte, and passes the limit");
_Static_assert(MM_CHECKS_AT + 16u <= MM_NVM_HEADER_BYTES, "the header holds all");
_Static_assert(2 * MM_SEAL_BYTES + sizeof(mm_record_t) + 2 == MM_COMMIT_RECORD_BYTES, "what a commit writes");

/* CRC-32 (IEEE 802.3) of the record's bytes, with MM_SEAL_BITS. */
uint32_t mm_seal_of(const mm_record_t* record);

/* The same in two steps: the build id, which comes first, is the same in all records of a build. */
uint32_t mm_seal_begin(uint64_t build_id);
uint32_t mm_seal_end(uint32_t begun, const mm_record_t* record);

/* Whether commit `a` came after commit `b`. */
bool mm_follows(uint32_t a, uint32_t b);

#endif

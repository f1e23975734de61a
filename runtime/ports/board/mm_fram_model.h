/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An FRAM chip behind SPI as a state machine in C, for machines that emulate none (QEMU) and for tests of the driver.
 * Written from the chips' data sheets, not from the driver. Not modelled: timing, WRSR, sleep, fast read.
 *
 * A byte of a WRITE is in the memory when it has been shifted in. Writes without the latch, writes into protected
 * blocks and unknown opcodes are ignored, as the chip ignores them; addresses wrap around at the end of the memory.
 */
#ifndef METAMORPH_MM_FRAM_MODEL_H
#define METAMORPH_MM_FRAM_MODEL_H

#include <stdint.h>

#include "mm_spi.h"

typedef struct mm_fram_model {
    const mm_spi_chip_t* chip;
    volatile uint8_t* memory; /* chip->bytes; all that survives a power failure */
    uint8_t status; /* bit 1: write enable latch; bits 2, 3: block protection, which any of stops all writes */
    /* of the transfer under way */
    uint8_t opcode;
    uint32_t address;
    uint32_t shifted; /* bytes so far */
    uint32_t refused; /* bytes of WRITEs that were dropped: for tests */
} mm_fram_model_t;

/* Chip select low; high again, which drops the latch after a WRITE. */
void mm_fram_select(mm_fram_model_t* fram);
void mm_fram_deselect(mm_fram_model_t* fram);

/* One byte in, one byte out. */
uint8_t mm_fram_shift(mm_fram_model_t* fram, uint8_t in);

#endif

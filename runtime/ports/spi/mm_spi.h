/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Five functions between the FRAM driver (mm_spi.c) and an SPI controller. Filling them in for a vendor's HAL is all
 * that it takes to run on another board: README.md shows one. mm_spi.c itself knows no register.
 *
 * Each returns MM_STATUS_OK, or MM_STATUS_NVM_ERROR where the controller reports a fault or a time-out. The driver
 * passes an error on, and the runtime hands it to mm_port_fatal.
 */
#ifndef METAMORPH_MM_SPI_H
#define METAMORPH_MM_SPI_H

#include <stdint.h>

#include "metamorph/mm_runtime.h"

#define MM_SPI_ID_BYTES_MAX 9u

/* What the driver must know of the chip; the device description gives it, and the woven project defines it. */
typedef struct mm_spi_chip {
    uint32_t bytes;       /* capacity */
    uint32_t burst_bytes; /* one WRITE stays within a block of so many bytes (a DMA's or a page's limit); 0: no limit */
    uint8_t address_bytes;
    uint8_t id_bytes; /* of what RDID answers; 0: the chip has no RDID, and its size is not checked */
    uint8_t id[MM_SPI_ID_BYTES_MAX];
} mm_spi_chip_t;
extern const mm_spi_chip_t mm_spi_chip;

/* Sets up pins, clock (at most the chip's), mode 0, most significant bit first, chip select high. Once a boot, first.
 */
mm_status_t mm_spi_open(void);

/* Chip select low; high again. mm_spi_end returns when the last bit has left: what was written is then in the chip. */
mm_status_t mm_spi_begin(void);
mm_status_t mm_spi_end(void);

/* Shifts out `count` bytes, ignoring what comes in; shifts in `count` bytes, sending anything. In order. */
mm_status_t mm_spi_send(const uint8_t* bytes, uint32_t count);
mm_status_t mm_spi_receive(uint8_t* bytes, uint32_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the driver of an SPI FRAM asks of the SPI controller: five functions, to be written once for a vendor's HAL. All
 * return false where the controller reports an error; the runtime then ends in mm_port_fatal.
 */
#ifndef METAMORPH_MM_SPI_H
#define METAMORPH_MM_SPI_H

#include <stdbool.h>
#include <stdint.h>

/* SPI mode 0, most significant bit first, at most the chip's clock; chip select high. Called in every boot. */
bool mm_spi_open(void);
/* Chip select low. */
bool mm_spi_select(void);
/* Chip select high, once the last bit is out. What was written is then in the memory. */
bool mm_spi_deselect(void);
/* Shifts `bytes` bytes out; what comes in is dropped. */
bool mm_spi_send(const uint8_t* from, uint32_t bytes);
/* Shifts `bytes` bytes in, zeros out. */
bool mm_spi_receive(uint8_t* to, uint32_t bytes);

#endif

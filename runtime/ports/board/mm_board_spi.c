/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The board's SPI controller: one register selects the chip, the other shifts a byte out and one in.
 */
#include "mm_spi.h"

typedef struct mm_board_spi {
    uint32_t select; /* 1: chip select low */
    uint32_t data;
} mm_board_spi_t;
extern volatile mm_board_spi_t mm_board_spi;

bool mm_spi_open(void) {
    mm_board_spi.select = 0;
    return true;
}

bool mm_spi_select(void) {
    mm_board_spi.select = 1;
    return true;
}

bool mm_spi_deselect(void) {
    mm_board_spi.select = 0;
    return true;
}

bool mm_spi_send(const uint8_t* from, uint32_t bytes) {
    while (bytes-- != 0u) {
        mm_board_spi.data = *from++;
    }
    return true;
}

bool mm_spi_receive(uint8_t* to, uint32_t bytes) {
    while (bytes-- != 0u) {
        mm_board_spi.data = 0;
        *to++ = (uint8_t)mm_board_spi.data;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The five functions of mm_spi.h on the board's SPI controller: byte registers, +0 select (1: chip select low), +4 data
 * (a write shifts a byte out and one in; a read gives that one). A write returns when the byte is through: nothing to
 * wait for.
 */
#include "mm_spi.h"

extern volatile uint8_t mm_board_spi[]; /* linker script */

enum { MM_BOARD_SPI_SELECT = 0, MM_BOARD_SPI_DATA = 4, MM_BOARD_SPI_ANYTHING = 0xFF };

static mm_status_t mm_board_select(uint8_t select) {
    mm_board_spi[MM_BOARD_SPI_SELECT] = select;
    return MM_STATUS_OK;
}

mm_status_t mm_spi_open(void) {
    return mm_board_select(0);
}

mm_status_t mm_spi_begin(void) {
    return mm_board_select(1);
}

mm_status_t mm_spi_end(void) {
    return mm_board_select(0);
}

mm_status_t mm_spi_send(const uint8_t* bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        mm_board_spi[MM_BOARD_SPI_DATA] = bytes[i];
    }
    return MM_STATUS_OK;
}

mm_status_t mm_spi_receive(uint8_t* bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        mm_board_spi[MM_BOARD_SPI_DATA] = MM_BOARD_SPI_ANYTHING;
        bytes[i] = mm_board_spi[MM_BOARD_SPI_DATA];
    }
    return MM_STATUS_OK;
}

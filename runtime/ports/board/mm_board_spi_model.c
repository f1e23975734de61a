/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The five functions of mm_spi.h where the machine has no SPI controller (QEMU): the chip is mm_fram_model.c, its
 * memory lies at mm_board_spi_memory (linker script: where mapped devices have their NVM), and the rest of its state in
 * SRAM, which is as it is after power-on at each boot. Chosen by the CMake option MM_BOARD_SPI_MODEL.
 */
#include "mm_fram_model.h"
#include "mm_spi.h"

extern volatile uint8_t mm_board_spi_memory[]; /* linker script */

static mm_fram_model_t mm_board_fram;

mm_status_t mm_spi_open(void) {
    mm_board_fram.chip = &mm_spi_chip;
    mm_board_fram.memory = mm_board_spi_memory;
    return MM_STATUS_OK;
}

mm_status_t mm_spi_begin(void) {
    mm_fram_select(&mm_board_fram);
    return MM_STATUS_OK;
}

mm_status_t mm_spi_end(void) {
    mm_fram_deselect(&mm_board_fram);
    return MM_STATUS_OK;
}

mm_status_t mm_spi_send(const uint8_t* bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        (void)mm_fram_shift(&mm_board_fram, bytes[i]);
    }
    return MM_STATUS_OK;
}

mm_status_t mm_spi_receive(uint8_t* bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = mm_fram_shift(&mm_board_fram, 0xFF);
    }
    return MM_STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Serial FRAM with the common instruction set (MB85RS4MT, CY15B104QN and their kin: three address bytes, no page
 * limits, no busy time): NVM behind a bus. A write unit is a byte; it is in the memory when its last bit is in the
 * chip.
 *
 * The write enable latch is volatile and cleared by every WRITE, so it is set before each one and read back: a chip
 * that does not answer, or is write-protected, is an error here and not silence. The size is checked by address: see
 * mm_port_open.
 */
#include "mm_spi.h"

#include "metamorph/mm_port.h"

#ifndef MM_SPI_FRAM_BYTES
#define MM_SPI_FRAM_BYTES (512u * 1024u) /* 4 Mbit */
#endif
#ifndef MM_SPI_BLOCK_BYTES
#define MM_SPI_BLOCK_BYTES 512u /* of one transfer: the limit of many controllers' DMA; any multiple of 4 */
#endif

enum {
    MM_FRAM_WRITE = 0x02,
    MM_FRAM_READ = 0x03,
    MM_FRAM_READ_STATUS = 0x05,
    MM_FRAM_WRITE_ENABLE = 0x06,
    MM_FRAM_STATUS_ENABLED = 0x02,  /* WEL */
    MM_FRAM_STATUS_PROTECTED = 0x0C /* BP1, BP0 */
};

static bool mm_fram_status(uint8_t* status) {
    const uint8_t opcode = MM_FRAM_READ_STATUS;
    const bool good = mm_spi_select() && mm_spi_send(&opcode, 1) && mm_spi_receive(status, 1);
    return mm_spi_deselect() && good;
}

static bool mm_fram_enable(void) {
    const uint8_t opcode = MM_FRAM_WRITE_ENABLE;
    uint8_t status = 0;
    bool good = mm_spi_select() && mm_spi_send(&opcode, 1);
    good = mm_spi_deselect() && good;
    return good && mm_fram_status(&status) &&
           (status & (MM_FRAM_STATUS_ENABLED | MM_FRAM_STATUS_PROTECTED)) == MM_FRAM_STATUS_ENABLED;
}

static bool mm_fram_address(uint8_t opcode, uint32_t address) {
    const uint8_t head[4] = {opcode, (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address};
    return mm_spi_select() && mm_spi_send(head, sizeof head);
}

/* A chip that is there answers with the latch that was set; one that is not gives all zeros or all ones. */
mm_status_t mm_port_open(uint32_t nvm_bytes) {
    return nvm_bytes <= MM_SPI_FRAM_BYTES && mm_spi_open() && mm_fram_enable() ? MM_STATUS_OK : MM_STATUS_NVM_ERROR;
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    uint8_t* at = (uint8_t*)to;
    while (bytes != 0u) {
        const uint32_t now = bytes < MM_SPI_BLOCK_BYTES ? bytes : MM_SPI_BLOCK_BYTES;
        const bool good = mm_fram_address(MM_FRAM_READ, address) && mm_spi_receive(at, now);
        if (!mm_spi_deselect() || !good) {
            return MM_STATUS_NVM_ERROR;
        }
        address += now;
        at += now;
        bytes -= now;
    }
    return MM_STATUS_OK;
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    const uint8_t* at = (const uint8_t*)from;
    while (bytes != 0u) {
        const uint32_t now = bytes < MM_SPI_BLOCK_BYTES ? bytes : MM_SPI_BLOCK_BYTES;
        const bool good = mm_fram_enable() && mm_fram_address(MM_FRAM_WRITE, address) && mm_spi_send(at, now);
        if (!mm_spi_deselect() || !good) {
            return MM_STATUS_NVM_ERROR;
        }
        address += now;
        at += now;
        bytes -= now;
    }
    return MM_STATUS_OK;
}

/* The chip has no buffer: what was shifted in is written. */
mm_status_t mm_port_nvm_barrier(void) {
    return MM_STATUS_OK;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of a port that reaches NVM where it is an FRAM chip behind SPI (MB85RS, CY15B and their kin).
 *
 * A write is a series of bursts, in ascending order: WREN, a look at the status register (is the chip there, did it
 * take the write enable?), WRITE with address and data. A byte is in the chip when its eighth bit has been shifted in,
 * so the write unit is a byte, and the barrier has nothing to wait for: mm_spi_end returns when all bits are out. The
 * chip drops the write enable at the end of each WRITE, and at power-on: a burst that power cuts leaves a prefix, and
 * the next boot starts with no write enabled.
 *
 * Chips that are missing, smaller than the application wants, of another kind, or whose blocks are protected are found
 * when the port is opened, at every boot: an unplugged chip reads as all zeros or all ones, which is no RDID.
 * Not checked: every written byte. Reading back doubles the traffic, and records carry a CRC.
 */
#include "mm_spi.h"

#include "metamorph/mm_port.h"

enum {
    MM_SPI_WRITE = 0x02,
    MM_SPI_READ = 0x03,
    MM_SPI_RDSR = 0x05,
    MM_SPI_WREN = 0x06,
    MM_SPI_RDID = 0x9F,
    MM_SPI_STATUS_WEL = 0x02,      /* write enable latch */
    MM_SPI_STATUS_PROTECTED = 0x0C /* block protection: a part of the chip drops writes */
};
#define MM_SPI_HEADER_BYTES_MAX 5u /* opcode and four bytes of address */

/* Ends the transfer in any case; the first error counts. */
static mm_status_t mm_spi_close_with(mm_status_t status) {
    const mm_status_t ended = mm_spi_end();
    return status != MM_STATUS_OK ? status : ended;
}

static mm_status_t mm_spi_begin_with(const uint8_t* bytes, uint32_t count) {
    const mm_status_t status = mm_spi_begin();
    return status != MM_STATUS_OK ? status : mm_spi_send(bytes, count);
}

static mm_status_t mm_spi_ask(uint8_t opcode, uint8_t* answer, uint32_t count) {
    mm_status_t status = mm_spi_begin_with(&opcode, 1);
    if (status == MM_STATUS_OK) {
        status = mm_spi_receive(answer, count);
    }
    return mm_spi_close_with(status);
}

static mm_status_t mm_spi_address(uint8_t opcode, uint32_t address) {
    uint8_t header[MM_SPI_HEADER_BYTES_MAX];
    uint32_t count = 0;
    header[count++] = opcode;
    for (uint32_t left = mm_spi_chip.address_bytes; left > 0u; left--) {
        header[count++] = (uint8_t)(address >> (8u * (left - 1u)));
    }
    return mm_spi_begin_with(header, count);
}

static mm_status_t mm_spi_enable_write(void) {
    const uint8_t opcode = MM_SPI_WREN;
    mm_status_t status = mm_spi_close_with(mm_spi_begin_with(&opcode, 1));
    uint8_t answer = 0;
    if (status == MM_STATUS_OK) {
        status = mm_spi_ask(MM_SPI_RDSR, &answer, 1);
    }
    /* All ones is no status register, but a bus that nobody drives. */
    return status == MM_STATUS_OK && ((answer & MM_SPI_STATUS_WEL) == 0u || answer == 0xFFu) ? MM_STATUS_NVM_ERROR
                                                                                             : status;
}

static uint32_t mm_spi_burst(uint32_t address, uint32_t bytes) {
    const uint32_t block = mm_spi_chip.burst_bytes;
    const uint32_t room = block == 0u ? bytes : block - address % block;
    return bytes < room ? bytes : room;
}

static bool mm_spi_holds(uint32_t address, uint32_t bytes) {
    return bytes <= mm_spi_chip.bytes && address <= mm_spi_chip.bytes - bytes;
}

static mm_status_t mm_spi_check_id(void) {
    uint8_t id[MM_SPI_ID_BYTES_MAX] = {0};
    const mm_status_t status = mm_spi_ask(MM_SPI_RDID, id, mm_spi_chip.id_bytes);
    for (uint32_t i = 0; i < mm_spi_chip.id_bytes; i++) {
        if (id[i] != mm_spi_chip.id[i]) {
            return MM_STATUS_NVM_ERROR;
        }
    }
    return status;
}

mm_status_t mm_port_open(uint32_t nvm_bytes) {
    uint8_t state = 0;
    mm_status_t status = mm_spi_holds(0, nvm_bytes) ? mm_spi_open() : MM_STATUS_NVM_ERROR;
    if (status == MM_STATUS_OK && mm_spi_chip.id_bytes > 0u) {
        status = mm_spi_check_id();
    }
    if (status == MM_STATUS_OK) {
        status = mm_spi_ask(MM_SPI_RDSR, &state, 1);
    }
    return status == MM_STATUS_OK && (state & MM_SPI_STATUS_PROTECTED) != 0u ? MM_STATUS_NVM_ERROR : status;
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    if (!mm_spi_holds(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    uint8_t* at = (uint8_t*)to;
    mm_status_t status = MM_STATUS_OK;
    while (bytes > 0u && status == MM_STATUS_OK) {
        const uint32_t burst = mm_spi_burst(address, bytes);
        status = mm_spi_address(MM_SPI_READ, address);
        if (status == MM_STATUS_OK) {
            status = mm_spi_receive(at, burst);
        }
        status = mm_spi_close_with(status);
        address += burst;
        at += burst;
        bytes -= burst;
    }
    return status;
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    if (!mm_spi_holds(address, bytes)) {
        return MM_STATUS_NVM_ERROR;
    }
    const uint8_t* at = (const uint8_t*)from;
    mm_status_t status = MM_STATUS_OK;
    while (bytes > 0u && status == MM_STATUS_OK) {
        const uint32_t burst = mm_spi_burst(address, bytes);
        status = mm_spi_enable_write();
        if (status == MM_STATUS_OK) {
            status = mm_spi_address(MM_SPI_WRITE, address);
            if (status == MM_STATUS_OK) {
                status = mm_spi_send(at, burst);
            }
            status = mm_spi_close_with(status);
        }
        address += burst;
        at += burst;
        bytes -= burst;
    }
    return status;
}

mm_status_t mm_port_nvm_barrier(void) {
    return MM_STATUS_OK;
}

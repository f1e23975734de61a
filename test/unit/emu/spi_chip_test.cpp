#include "emu/worker/spi_chip.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace metamorph::emu {
namespace {

constexpr std::uint8_t k_write = 0x02, k_read = 0x03, k_wrdi = 0x04, k_rdsr = 0x05, k_wren = 0x06, k_rdid = 0x9F;
constexpr std::uint32_t k_bytes = 512;

struct FakeMemory : SpiMemory {
    std::map<std::uint32_t, std::uint8_t> bytes;
    std::vector<std::uint32_t> written, refused;
    std::uint8_t spi_read(std::uint32_t address) override { return bytes[address]; }
    void spi_write(std::uint32_t address, std::uint8_t value) override {
        written.push_back(address);
        bytes[address] = value;
    }
    void spi_refused(std::uint32_t address) override { refused.push_back(address); }
};

class SpiChipTest : public testing::Test {
protected:
    void SetUp() override { m_chip.power_on(); }

    // Shifts without selecting or deselecting; what came back, a byte each.
    std::vector<std::uint8_t> shift(const std::vector<std::uint8_t>& out) {
        std::vector<std::uint8_t> in;
        for (const std::uint8_t byte : out) {
            m_chip.shift(byte);
            in.push_back(m_chip.last());
        }
        return in;
    }
    std::vector<std::uint8_t> transfer(const std::vector<std::uint8_t>& out) {
        m_chip.select(true);
        auto in = shift(out);
        m_chip.select(false);
        return in;
    }
    bool is_enabled() { return transfer({k_rdsr, 0}).back() == 0x02; }
    void write(std::uint32_t at, const std::vector<std::uint8_t>& data) {
        transfer({k_wren});
        std::vector<std::uint8_t> out{k_write, static_cast<std::uint8_t>(at >> 16), static_cast<std::uint8_t>(at >> 8),
                                      static_cast<std::uint8_t>(at)};
        out.insert(out.end(), data.begin(), data.end());
        transfer(out);
    }

    FakeMemory m_memory;
    SpiChip m_chip{m_memory, k_bytes, 3, "\x04\x7F\x49\x03"};
};

TEST_F(SpiChipTest, WritesAndReadsWhatItWasTold) {
    write(0x0123, {0xDE, 0xAD, 0xBE});
    EXPECT_EQ(m_memory.written, (std::vector<std::uint32_t>{0x123, 0x124, 0x125}));
    EXPECT_EQ(transfer({k_read, 0x00, 0x01, 0x23, 0, 0, 0}),
              (std::vector<std::uint8_t>{0xFF, 0xFF, 0xFF, 0xFF, 0xDE, 0xAD, 0xBE}));
    EXPECT_TRUE(m_memory.refused.empty());
}

TEST_F(SpiChipTest, AddressesOfTwoBytes) {
    SpiChip chip(m_memory, k_bytes, 2, "");
    m_memory.bytes[0x142] = 0x5A;
    chip.power_on();
    chip.select(true);
    for (const std::uint8_t byte : {k_read, std::uint8_t{0x01}, std::uint8_t{0x42}, std::uint8_t{0}}) {
        chip.shift(byte);
    }
    EXPECT_EQ(chip.last(), 0x5A);
}

TEST_F(SpiChipTest, WriteEnableIsSetByWrenAndShownByRdsr) {
    EXPECT_FALSE(is_enabled());
    transfer({k_wren});
    EXPECT_TRUE(is_enabled());
    EXPECT_TRUE(is_enabled()) << "reading the status changes nothing";
    transfer({k_read, 0, 0, 0, 0});
    EXPECT_TRUE(is_enabled()) << "nor does a read";
    transfer({k_wrdi});
    EXPECT_FALSE(is_enabled());
}

TEST_F(SpiChipTest, WrenCountsWhenTheChipIsDeselected) {
    m_chip.select(true);
    m_chip.shift(k_wren);
    EXPECT_FALSE(m_chip.latch().is_enabled);
    m_chip.select(false);
    EXPECT_TRUE(m_chip.latch().is_enabled);
}

TEST_F(SpiChipTest, AWriteDropsTheLatch) {
    write(0, {1});
    EXPECT_FALSE(is_enabled());
    transfer({k_write, 0, 0, 7, 0x99});
    EXPECT_EQ(m_memory.refused, (std::vector<std::uint32_t>{7}));
    EXPECT_EQ(m_memory.bytes.count(7), 0U) << "a refused byte is not in the memory";
    EXPECT_EQ(m_memory.written.size(), 1U);
}

TEST_F(SpiChipTest, EveryByteOfARefusedBurstIsTold) {
    transfer({k_write, 0, 0, 10, 1, 2, 3});
    EXPECT_EQ(m_memory.refused, (std::vector<std::uint32_t>{10, 11, 12}));
    EXPECT_TRUE(m_memory.written.empty());
}

TEST_F(SpiChipTest, PowerOnDropsTheLatchAndTheSelection) {
    transfer({k_wren});
    m_chip.power_on();
    EXPECT_FALSE(m_chip.latch().is_enabled);
    m_chip.select(true);
    m_chip.shift(k_rdsr);
    m_chip.power_on();
    m_chip.shift(0);
    EXPECT_FALSE(m_chip.latch().is_selected);
    EXPECT_EQ(m_chip.last(), 0xFF) << "it is not selected any more";
}

TEST_F(SpiChipTest, ABurstCutInTheMiddleKeepsWhatWasShiftedIn) {
    transfer({k_wren});
    m_chip.select(true);
    shift({k_write, 0, 0, 100, 11, 22});
    m_chip.power_on();
    shift({33, 44});
    m_chip.select(false);
    EXPECT_EQ(m_memory.written, (std::vector<std::uint32_t>{100, 101}));
    EXPECT_EQ(m_memory.bytes.at(100), 11);
    EXPECT_EQ(m_memory.bytes.at(101), 22);
    EXPECT_FALSE(is_enabled());
}

TEST_F(SpiChipTest, TheAddressRunsOnFromTheLastByteToTheFirst) {
    write(k_bytes - 2, {1, 2, 3, 4});
    EXPECT_EQ(m_memory.written, (std::vector<std::uint32_t>{k_bytes - 2, k_bytes - 1, 0, 1}));
    const auto in = transfer({k_read, 0, 0x01, 0xFE, 0, 0, 0, 0});
    EXPECT_EQ(std::vector<std::uint8_t>(in.begin() + 4, in.end()), (std::vector<std::uint8_t>{1, 2, 3, 4}));
}

TEST_F(SpiChipTest, AnAddressBeyondTheMemoryWraps) {
    write(k_bytes + 5, {0x77});
    EXPECT_EQ(m_memory.written, (std::vector<std::uint32_t>{5}));
}

TEST_F(SpiChipTest, TellsItsIdentity) {
    EXPECT_EQ(transfer({k_rdid, 0, 0, 0, 0, 0}), (std::vector<std::uint8_t>{0xFF, 0x04, 0x7F, 0x49, 0x03, 0}));
}

TEST_F(SpiChipTest, UnknownOpcodesDoNothing) {
    transfer({k_wren});
    EXPECT_EQ(transfer({0xAB, 0, 0, 0, 1}), (std::vector<std::uint8_t>(5, 0xFF)));
    EXPECT_TRUE(m_memory.written.empty());
    EXPECT_TRUE(is_enabled());
}

TEST_F(SpiChipTest, ADeselectedChipHearsNothing) {
    EXPECT_EQ(shift({k_wren, k_rdsr, 0}), (std::vector<std::uint8_t>(3, 0xFF)));
    m_chip.select(false);
    EXPECT_FALSE(is_enabled());
}

TEST_F(SpiChipTest, SelectingWithoutAnOpcodeChangesNothing) {
    transfer({k_wren});
    transfer({});
    EXPECT_TRUE(is_enabled());
}

TEST_F(SpiChipTest, ItsLatchCanBeKeptAndSetAgain) {
    transfer({k_wren});
    const SpiChip::Latch latch = m_chip.latch();
    m_chip.power_on();
    EXPECT_NE(m_chip.latch(), latch);
    m_chip.set_latch(latch);
    transfer({k_write, 0, 0, 1, 9});
    EXPECT_EQ(m_memory.written, (std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace metamorph::emu

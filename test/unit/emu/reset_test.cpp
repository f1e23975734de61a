// What a program finds at power-on is what a new board has, or poison: nothing of the boot before. Programs of a few
// instructions, written down as their encodings: each stores what it finds to NVM, leaves other values behind, and is
// idle. No compiler is needed.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "emu/worker.h"
#include "unit/emu/tiny_board.h"

namespace metamorph::emu {
namespace {

constexpr std::uint32_t k_nvm_used = 64, k_patterns = 4;
constexpr std::uint32_t k_poison[k_patterns] = {0xB0B0B0B1, 0x00000000, 0xFFFFFFFF, 0x6C62272F};
constexpr std::uint32_t k_output_poison = 0xD7D7D7D7;

Firmware board(Firmware::Core core, std::uint32_t flash, const std::string& program) {
    Firmware board = tiny_board(core, flash, program);
    board.stack_limit = k_sram;
    board.used_bytes = k_nvm_used;
    board.event_function = flash + 0x8000;  // never called
    return board;
}

// r0: NVM. What is found goes to word 0, 1, …
const std::vector<std::uint16_t> k_arm = {
    0xF240, 0x0000, 0xF2C2, 0x1000,                          // r0 = NVM
    0xF3EF, 0x8100, 0x6001,                                  // 0: flags
    0x6044, 0x6087,                                          // 1, 2: r4, r7
    0x4659, 0x60C1, 0x4671, 0x6101,                          // 3, 4: r11, lr
    0xF3EF, 0x8110, 0x6141, 0xF3EF, 0x8111, 0x6181,          // 5, 6: PRIMASK, BASEPRI
    0xF3EF, 0x8114, 0x61C1, 0xF3EF, 0x8113, 0x6201,          // 7, 8: CONTROL, FAULTMASK
    0xEE18, 0x1A10, 0x6241, 0xEEF1, 0x1A10, 0x6281,          // 9, 10: s16, FPSCR
    0xF241, 0x0200, 0xF2C2, 0x1280, 0x6811, 0x62C1,          // 11: I/O window, output data
    0xF240, 0x0208, 0xF2C2, 0x1280, 0x6811, 0x6301,          // 12: its register `sequence`
    0xF64E, 0x5208, 0xF2CE, 0x0200, 0x6811, 0x6341,          // 13: VTOR
    0x2155, 0x6011,                                          // all that gets another value: VTOR
    0xF241, 0x0200, 0xF2C2, 0x1280, 0x6011,                  // output data
    0xF240, 0x0208, 0xF2C2, 0x1280, 0x6011,                  // sequence
    0x460C, 0x460F, 0x468B, 0x468E, 0xEE08, 0x1A10,          // r4, r7, r11, lr, s16
    0xEEE1, 0x1A10, 0xB672, 0xB671, 0xF381, 0x8811,          // FPSCR, PRIMASK, FAULTMASK, BASEPRI
    0x2302, 0xF383, 0x8814, 0x4289,                          // CONTROL, flags
    0xF240, 0x0018, 0xF2C2, 0x1080, 0x2102, 0x6001, 0xE7FE,  // idle
};

std::vector<std::uint32_t> found_on_arm(std::uint32_t poison) {
    return {poison & 0xF8000000, poison, poison, poison, 0xFFFFFFFF, 0, 0, 0, 0, poison, 0, k_output_poison, 0, 0};
}

// x10: NVM.
const std::vector<std::uint32_t> k_riscv = {
    0x21000537,                                      // x10 = NVM
    0x00152023, 0x00352223, 0x00852423, 0x01B52623,  // 0 to 3: x1, x3, x8, x27
    0x340022F3, 0x00552823,                          // 4: mscratch
    0x341022F3, 0x00552A23,                          // 5: mepc
    0x343022F3, 0x00552C23,                          // 6: mtval
    0x305022F3, 0x00552E23,                          // 7: mtvec
    0x300022F3, 0x0082F293, 0x02552023,              // 8: mstatus.MIE
    0x342022F3, 0x02552223,                          // 9: mcause
    0x05400293,                                      // all that gets another value:
    0x34029073, 0x34129073, 0x34329073,              // mscratch, mepc, mtval
    0x30529073, 0x34229073, 0x30046073,              // mtvec, mcause, mstatus.MIE
    0x00028093, 0x00028193, 0x00028413, 0x00028D93,  // x1, x3, x8, x27
    0x21800537, 0x00200593, 0x00B52C23, 0x0000006F,  // idle
};

std::vector<std::uint32_t> found_on_riscv(std::uint32_t poison) {
    const std::uint32_t even = poison & ~1U;
    return {poison, poison, poison, poison, even, even, even, poison & ~3U, 0, 0};
}

// Two lives in the same worker find the same, for each pattern: neither what the other nor what another pattern left.
void expect_found(const Firmware& firmware, std::vector<std::uint32_t> (*expected)(std::uint32_t)) {
    auto worker = Worker::start(METAMORPH_EMU_PATH, firmware);
    ASSERT_TRUE(worker.has_value()) << describe(worker.error());
    for (std::uint32_t life = 0; life < 2 * k_patterns; ++life) {
        CutSpec cut;
        cut.pattern = life % k_patterns;
        const auto run = worker->run_with_cut(std::string(k_nvm_used, '\0'), cut);
        ASSERT_TRUE(run.has_value()) << describe(run.error());
        ASSERT_EQ(run->segments.back().halt.kind, HaltKind::idle) << run->segments.back().halt.what;
        const std::vector<std::uint32_t> wanted = expected(k_poison[cut.pattern]);
        std::vector<std::uint32_t> found(wanted.size());
        std::memcpy(found.data(), run->nvm.data(), found.size() * 4);
        EXPECT_EQ(found, wanted) << "life " << life << std::hex << ", poison " << k_poison[cut.pattern];
    }
}

TEST(Reset, OfACortexMLeavesNothingOfTheBootBefore) {
    expect_found(board(Firmware::Core::cortex_m4f, 0, words({k_sram + 0x1000, 9}) + halves(k_arm)), found_on_arm);
}

TEST(Reset, OfARiscVLeavesNothingOfTheBootBefore) {
    expect_found(board(Firmware::Core::rv32imc, 0x80000000, words(k_riscv)), found_on_riscv);
}

}  // namespace
}  // namespace metamorph::emu

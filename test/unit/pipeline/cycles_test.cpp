// What is counted, priced: by hand, figure by figure.
#include "pipeline/cycles.h"

#include <set>

#include <gtest/gtest.h>

namespace metamorph::pipeline {
namespace {

using Class = emu::InstructionClass;

app::Device device(const char* name) {
    return app::find_device(name).value();
}

emu::Counters counted(Class which, std::uint64_t times) {
    emu::Counters counters;
    counters.classes[static_cast<std::size_t>(which)] = times;
    return counters;
}

TEST(Cycles, EveryClassIsACorteXM4sPriceByItsName) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < emu::k_instruction_classes; ++i) {
        names.insert(name_of(static_cast<Class>(i)));
    }
    const auto& priced = app::instruction_classes("cortex-m4f");
    EXPECT_EQ(names, std::set<std::string>(priced.begin(), priced.end()));
    for (const std::string& name : app::instruction_classes("rv32imc")) {
        EXPECT_EQ(names.count(name), 1U) << name;
    }
}

TEST(Cycles, OfEachClassByTheTableOfItsCore) {
    const app::Device arm = device("cortex-m4-mapped"), riscv = device("rv32imc-mapped");
    EXPECT_EQ(priced(counted(Class::other, 7), arm).cycles, 7);
    EXPECT_EQ(priced(counted(Class::load, 7), arm).cycles, 14);
    EXPECT_EQ(priced(counted(Class::pipelined, 7), arm).cycles, 7);
    EXPECT_EQ(priced(counted(Class::divide, 1), arm).cycles, 12);
    EXPECT_EQ(priced(counted(Class::branch_taken, 5), arm).cycles, 10);
    EXPECT_EQ(priced(counted(Class::float_divide, 1), arm).cycles, 14);
    EXPECT_EQ(priced(counted(Class::multiply, 2), arm).cycles, 2);
    EXPECT_EQ(priced(counted(Class::multiply, 2), riscv).cycles, 6);
    EXPECT_EQ(priced(counted(Class::multiply_high, 2), riscv).cycles, 8);
    EXPECT_EQ(priced(counted(Class::divide, 1), riscv).cycles, 37);
    EXPECT_EQ(priced(counted(Class::jump_taken, 5), riscv).cycles, 5);
}

TEST(Cycles, MappedNvmMakesTheCoreWait) {
    app::Device arm = device("cortex-m4-mapped");  // reads wait one cycle; 125 ns at 16 MHz are two
    emu::Counters counters;
    counters.nvm_reads = 10;
    EXPECT_EQ(priced(counters, arm).cycles, 10);
    counters.nvm_units_written = 100;
    EXPECT_EQ(priced(counters, arm).cycles, 110);
    arm.clock_hz = 4'000'000;  // written within the core's own cycle
    EXPECT_EQ(priced(counters, arm).cycles, 10);
}

TEST(Cycles, ABytesShiftIsWaitedFor) {
    app::Device arm = device("cortex-m4-spi");  // 8 bits at 25 MHz are 5.12 cycles at 16 MHz
    emu::Counters counters;
    counters.bus_bytes = 100;
    EXPECT_NEAR(priced(counters, arm).cycles, 512, 1e-6);
    counters.nvm_units_written = 50;  // done with the shift
    EXPECT_NEAR(priced(counters, arm).cycles, 512, 1e-6);
    for (app::Memory& memory : arm.memories) {
        memory.write_unit_ns *= memory.kind == app::MemoryKind::nvm ? 2 : 1;
    }
    EXPECT_NEAR(priced(counters, arm).cycles, 512 + 256, 1e-6);
}

TEST(Cycles, WaitStatesOfFlashAndSramCount) {
    app::Device arm = device("cortex-m4-mapped");
    for (app::Memory& memory : arm.memories) {
        memory.read_wait_cycles = memory.kind == app::MemoryKind::flash ? 3 : 0;
    }
    emu::Counters counters;
    counters.code_words = 10;
    EXPECT_EQ(priced(counters, arm).cycles, 30);
    counters.loads = 4;
    EXPECT_EQ(priced(counters, arm).cycles, 42);
}

TEST(Cycles, BecomeTimeAndEnergy) {
    const app::Device arm = device("cortex-m4-mapped");
    emu::Counters counters = counted(Class::other, 16'000);
    EXPECT_NEAR(priced(counters, arm).microseconds, 1000, 1e-6);
    const double core = 16'000 * arm.active_ua_per_mhz * arm.supply_mv * 1e-9;
    EXPECT_GT(core, 0);
    EXPECT_NEAR(priced(counters, arm).microjoules, core, 1e-9);
    counters.nvm_units_written = 1000;
    const double nvm = arm.memory(app::MemoryKind::nvm).write_unit_nj;
    EXPECT_NEAR(priced(counters, arm).microjoules, core * 17 / 16 + nvm, 1e-9);  // a wait each
}

TEST(Cycles, ReadingBehindABusCostsTheChipsCurrent) {
    const app::Device arm = device("cortex-m4-spi");
    emu::Counters counters;
    counters.bus_bytes = 1000;
    const double waiting = 5120 * arm.active_ua_per_mhz * arm.supply_mv * 1e-9;
    const double chip = 2.6e-3 * arm.supply_mv * 1e-3 * 320e-9 * 1000 * 1e6;
    EXPECT_NEAR(priced(counters, arm).microjoules, waiting + chip, 1e-6);
}

}  // namespace
}  // namespace metamorph::pipeline

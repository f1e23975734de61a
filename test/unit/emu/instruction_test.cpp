// What the emulator counts: programs of a few instructions, written down as their encodings, run in the worker. No
// compiler is needed.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "emu/worker.h"
#include "unit/emu/tiny_board.h"

namespace metamorph::emu {
namespace {

// r2 points into SRAM, below the stack; r3 is 0. The end tells the board that the program is idle.
Firmware arm(const std::vector<std::uint16_t>& body) {
    const std::string end = halves({0xF240, 0x0018, 0xF2C2, 0x1080, 0x2102, 0x6001, 0xE7FE});
    return tiny_board(Firmware::Core::cortex_m4f, 0,
                      words({k_sram + 0x1000, 9}) + halves({0x466A, 0x3A40, 0x2300}) + halves(body) + end);
}

// x2 and x12 point into SRAM.
Firmware riscv(const std::string& body) {
    return tiny_board(Firmware::Core::rv32imc, 0x80000000,
                      words({0x20001137, 0x20001637}) + body + words({0x21800537, 0x00200593, 0x00B52C23, 0x0000006F}));
}

PlainRun run(const Firmware& firmware) {
    auto worker = Worker::start(METAMORPH_EMU_PATH, firmware);
    EXPECT_TRUE(worker.has_value()) << (worker ? "" : describe(worker.error()));
    auto result = worker ? worker->run_plain() : PlainRun{};
    EXPECT_TRUE(result.has_value()) << (result ? "" : describe(result.error()));
    return result ? *result : PlainRun{};
}

struct Expected {
    const char* name;
    std::uint64_t loads, stores;
    std::string code;
    int instructions = 1;
};

void expect_counts(const Expected& each, const Firmware& with, const Firmware& without) {
    const PlainRun run_with = run(with), run_without = run(without);
    ASSERT_EQ(run_with.halt.kind, HaltKind::idle) << each.name << ": " << run_with.halt.what;
    ASSERT_EQ(run_without.halt.kind, HaltKind::idle);
    const Counters &counted = run_with.counters, &base = run_without.counters;
    EXPECT_EQ(counted.instructions - base.instructions, static_cast<std::uint64_t>(each.instructions)) << each.name;
    EXPECT_EQ(counted.loads - base.loads, each.loads) << each.name;
    EXPECT_EQ(counted.stores - base.stores, each.stores) << each.name;
}

TEST(CountedOnArm, EachInstructionAsWhatItIs) {
    const std::vector<std::pair<Expected, std::vector<std::uint16_t>>> all = {
        {{"ldr r1, [pc]", 1, 0, ""}, {0x4900}},
        {{"str r1, [r2, r3]", 0, 1, ""}, {0x50D1}},
        {{"strh r1, [r2, r3]", 0, 1, ""}, {0x52D1}},
        {{"strb r1, [r2, r3]", 0, 1, ""}, {0x54D1}},
        {{"ldrsb r1, [r2, r3]", 1, 0, ""}, {0x56D1}},
        {{"ldr r1, [r2, r3]", 1, 0, ""}, {0x58D1}},
        {{"ldrsh r1, [r2, r3]", 1, 0, ""}, {0x5ED1}},
        {{"str r1, [r2]", 0, 1, ""}, {0x6011}},
        {{"ldr r1, [r2]", 1, 0, ""}, {0x6811}},
        {{"strb r1, [r2]", 0, 1, ""}, {0x7011}},
        {{"ldrb r1, [r2]", 1, 0, ""}, {0x7811}},
        {{"strh r1, [r2]", 0, 1, ""}, {0x8011}},
        {{"ldrh r1, [r2]", 1, 0, ""}, {0x8811}},
        {{"str r1, [sp]", 0, 1, ""}, {0x9100}},
        {{"ldr r1, [sp]", 1, 0, ""}, {0x9900}},
        {{"stm r2!, {r1}", 0, 1, ""}, {0xC202}},
        {{"ldm r2!, {r1}", 1, 0, ""}, {0xCA02}},
        {{"push {r1}", 0, 1, ""}, {0xB402}},
        {{"pop {r1}", 1, 0, ""}, {0xBC02}},
        {{"nop", 0, 0, ""}, {0xBF00}},
        {{"add r1, r2", 0, 0, ""}, {0x4411}},
        {{"cmp r1, r2", 0, 0, ""}, {0x4291}},
        {{"adr r1, .", 0, 0, ""}, {0xA100}},
        {{"add r1, sp, #0", 0, 0, ""}, {0xA900}},
        {{"sxth r1, r2", 0, 0, ""}, {0xB211}},
        {{"ldr.w r1, [r2]", 1, 0, ""}, {0xF8D2, 0x1000}},
        {{"str.w r1, [r2]", 0, 1, ""}, {0xF8C2, 0x1000}},
        {{"ldrb.w r1, [r2]", 1, 0, ""}, {0xF892, 0x1000}},
        {{"ldrsb.w r1, [r2]", 1, 0, ""}, {0xF992, 0x1000}},
        {{"strd r1, r3, [r2]", 0, 1, ""}, {0xE9C2, 0x1300}},
        {{"ldrd r1, r5, [r2]", 1, 0, ""}, {0xE9D2, 0x1500}},
        {{"stmdb sp!, {r4, r5}", 0, 1, ""}, {0xE92D, 0x0030}},
        {{"ldm.w sp!, {r4, r5}", 1, 0, ""}, {0xE8BD, 0x0030}},
        {{"add.w r1, r2, r3", 0, 0, ""}, {0xEB02, 0x0103}},
        {{"mul r1, r2, r3", 0, 0, ""}, {0xFB02, 0xF103}},
        {{"vldr s0, [r2]", 1, 0, ""}, {0xED92, 0x0A00}},
        {{"vstr s0, [r2]", 0, 1, ""}, {0xED82, 0x0A00}},
        {{"vpush {s0}", 0, 1, ""}, {0xED2D, 0x0A01}},
        {{"vmov r1, s0", 0, 0, ""}, {0xEE10, 0x1A10}},
        {{"vmov r1, r5, d0", 0, 0, ""}, {0xEC55, 0x1B10}},
        {{"vadd.f32 s0, s0, s0", 0, 0, ""}, {0xEE30, 0x0A00}},
        {{"two", 1, 1, "", 2}, {0x6811, 0x6011}},
    };
    for (const auto& [each, code] : all) {
        expect_counts(each, arm(code), arm({}));
    }
}

TEST(CountedOnRiscv, EachInstructionAsWhatItIs) {
    const std::vector<Expected> all = {
        {"c.lw x9, 0(x12)", 1, 0, halves({0x4204})},    {"c.sw x9, 0(x12)", 0, 1, halves({0xC204})},
        {"c.lwsp x9, 0", 1, 0, halves({0x4482})},       {"c.swsp x9, 0", 0, 1, halves({0xC026})},
        {"c.addi x9, 1", 0, 0, halves({0x0485})},       {"c.li x9, 1", 0, 0, halves({0x4485})},
        {"c.mv x9, x12", 0, 0, halves({0x84B2})},       {"c.slli x9, 1", 0, 0, halves({0x0486})},
        {"c.addi4spn x9, 16", 0, 0, halves({0x0804})},  {"lw x9, 0(x12)", 1, 0, words({0x00062483})},
        {"lb x9, 0(x12)", 1, 0, words({0x00060483})},   {"lhu x9, 0(x12)", 1, 0, words({0x00065483})},
        {"lbu x9, 0(x12)", 1, 0, words({0x00064483})},  {"sw x9, 0(x12)", 0, 1, words({0x00962023})},
        {"sh x9, 0(x12)", 0, 1, words({0x00961023})},   {"sb x9, 0(x12)", 0, 1, words({0x00960023})},
        {"add x9, x12, x9", 0, 0, words({0x009604B3})}, {"mul x9, x9, x9", 0, 0, words({0x029484B3})},
        {"lui x9, 1", 0, 0, words({0x000014B7})},       {"two", 1, 1, halves({0x4204}) + words({0x00960023}), 2},
    };
    for (const Expected& each : all) {
        expect_counts(each, riscv(each.code), riscv(""));
    }
}

using Class = InstructionClass;
using Classes = std::vector<std::pair<Class, std::uint64_t>>;

// Of each class, so many more than without the code.
void expect_classes(const std::string& name, const Classes& expected, const Firmware& with, const Firmware& without) {
    const Counters counted = run(with).counters.minus(run(without).counters);
    std::array<std::uint64_t, k_instruction_classes> all{};
    for (const auto& [which, count] : expected) {
        all[static_cast<std::size_t>(which)] = count;
    }
    EXPECT_EQ(counted.classes, all) << name;
}

TEST(CountedOnArm, EachInstructionInItsClass) {
    struct Case {
        const char* name;
        Classes expected;
        std::vector<std::uint16_t> code;
    };
    const std::vector<Case> all = {
        {"nop", {{Class::other, 1}}, {0xBF00}},
        {"ldr, ldr, str", {{Class::load, 1}, {Class::pipelined, 2}}, {0x6811, 0x6811, 0x6011}},
        {"ldr, nop, str", {{Class::load, 1}, {Class::other, 1}, {Class::store, 1}}, {0x6811, 0xBF00, 0x6011}},
        {"stmdb sp!, {r4, r5}; ldr", {{Class::store, 1}, {Class::word, 1}, {Class::load, 1}}, {0xE92D, 0x0030, 0x6811}},
        {"push {r1, lr}; pop {r1, r4}", {{Class::store, 1}, {Class::load, 1}, {Class::word, 2}}, {0xB502, 0xBC12}},
        {"strd r1, r3, [r2]", {{Class::store, 1}, {Class::word, 1}}, {0xE9C2, 0x1300}},
        {"vldr s0, [r2]", {{Class::load, 1}}, {0xED92, 0x0A00}},
        {"vldr d0, [r2]", {{Class::load, 1}, {Class::word, 1}}, {0xED92, 0x0B00}},
        {"muls r1, r3", {{Class::multiply, 1}}, {0x4359}},
        {"mla r1, r2, r3, r5", {{Class::multiply, 1}}, {0xFB02, 0x5103}},
        {"smull r1, r5, r2, r3", {{Class::multiply_high, 1}}, {0xFB82, 0x1503}},
        {"umlal r1, r5, r2, r3", {{Class::multiply_high, 1}}, {0xFBE2, 0x1503}},
        {"sdiv r1, r2, r2", {{Class::divide, 1}}, {0xFB92, 0xF1F2}},
        {"udiv r1, r2, r2", {{Class::divide, 1}}, {0xFBB2, 0xF1F2}},
        {"vadd.f32 s0, s0, s0", {{Class::floating, 1}}, {0xEE30, 0x0A00}},
        {"vmla.f32 s0, s0, s0", {{Class::float_fused, 1}}, {0xEE00, 0x0A00}},
        {"vfma.f32 s0, s0, s0", {{Class::float_fused, 1}}, {0xEEA0, 0x0A00}},
        {"vdiv.f32 s0, s0, s0", {{Class::float_divide, 1}}, {0xEE80, 0x0A00}},
        {"vsqrt.f32 s0, s0", {{Class::float_divide, 1}}, {0xEEB1, 0x0AC0}},
        {"vabs.f32 s0, s0", {{Class::floating, 1}}, {0xEEB0, 0x0AC0}},
        {"vmov r1, s0", {{Class::other, 1}}, {0xEE10, 0x1A10}},
        {"b over nop", {{Class::branch, 1}, {Class::jump_taken, 1}}, {0xE000, 0xBF00}},
        {"beq, taken", {{Class::branch, 1}, {Class::branch_taken, 1}}, {0xD000, 0xBF00}},
        {"bne, not taken", {{Class::branch, 1}, {Class::other, 1}}, {0xD100, 0xBF00}},
        {"beq.w, taken",
         {{Class::other, 1}, {Class::branch, 1}, {Class::branch_taken, 1}},
         {0xF000, 0x8001, 0xBF00, 0xBF00}},
        {"cbz r3, taken", {{Class::branch, 1}, {Class::branch_taken, 1}}, {0xB103, 0xBF00}},
        {"bl over nop",
         {{Class::other, 1}, {Class::branch, 1}, {Class::jump_taken, 1}},
         {0xF000, 0xF801, 0xBF00, 0xBF00}},
        {"a loop of three rounds",
         {{Class::other, 4}, {Class::branch, 3}, {Class::branch_taken, 2}},
         {0x2103, 0x3901, 0xD1FD}},
        {"ldr pc of a literal behind a nop",  // ldr pc, [pc]; nop; address of what follows
         {{Class::load, 1}, {Class::jump_taken, 1}},
         {0xF8DF, 0xF004, 0xBF00, 0x0019, 0x0000}},
    };
    for (const Case& each : all) {
        expect_classes(each.name, each.expected, arm(each.code), arm({}));
    }
}

TEST(CountedOnRiscv, EachInstructionInItsClass) {
    struct Case {
        const char* name;
        Classes expected;
        std::string code;
    };
    const std::vector<Case> all = {
        {"lw, lw: no pipelining", {{Class::load, 2}}, words({0x00062483, 0x00062483})},
        {"mul x9, x9, x9", {{Class::multiply, 1}}, words({0x029484B3})},
        {"mulh x9, x9, x9", {{Class::multiply_high, 1}}, words({0x029494B3})},
        {"mulhu x9, x9, x9", {{Class::multiply_high, 1}}, words({0x0294B4B3})},
        {"div x9, x12, x12", {{Class::divide, 1}}, words({0x02C644B3})},
        {"remu x9, x12, x12", {{Class::divide, 1}}, words({0x02C674B3})},
        {"add x9, x12, x9", {{Class::other, 1}}, words({0x009604B3})},
        {"beq, taken", {{Class::branch, 1}, {Class::branch_taken, 1}}, words({0x00000463, 0x00000013})},
        {"bne, not taken", {{Class::branch, 1}, {Class::other, 1}}, words({0x00001463, 0x00000013})},
        {"jal", {{Class::branch, 1}, {Class::jump_taken, 1}}, words({0x008000EF, 0x00000013})},
        {"c.j", {{Class::branch, 1}, {Class::jump_taken, 1}}, halves({0xA011, 0x0001})},
        {"c.li, c.beqz",
         {{Class::other, 1}, {Class::branch, 1}, {Class::branch_taken, 1}},
         halves({0x4401, 0xC011, 0x0001})},
    };
    for (const Case& each : all) {
        expect_classes(each.name, each.expected, riscv(each.code), riscv(""));
    }
}

TEST(Counted, BlocksAddUpToAllInstructions) {
    for (const Firmware& firmware : {arm({0x6811, 0x6011}), riscv(halves({0x4204}))}) {
        const PlainRun counted = run(firmware);
        std::uint64_t sum = 0;
        for (const auto& [address, block] : counted.blocks) {
            EXPECT_GE(address, firmware.flash);
            sum += block.instructions;
        }
        EXPECT_EQ(sum, counted.counters.instructions);
        EXPECT_GT(sum, 4U);
    }
}

TEST(Counted, AProgramThatNeverEndsIsStopped) {
    const PlainRun on_arm = run(arm({0xE7FE}));
    EXPECT_EQ(on_arm.halt.kind, HaltKind::endless);
    EXPECT_EQ(on_arm.halt.pc, 14U);
    EXPECT_EQ(run(riscv(words({0x0000006F}))).halt.kind, HaltKind::endless);
}

TEST(Counted, AProgramThatLeavesMemoryOrTheInstructionSetCrashes) {
    EXPECT_EQ(run(arm({0xDE00})).halt.kind, HaltKind::crashed);  // udf
    const PlainRun wild = run(arm({0xF24D, 0x0200, 0xF2CD, 0x62AD, 0x6011}));
    EXPECT_EQ(wild.halt.kind, HaltKind::crashed);
    EXPECT_FALSE(wild.halt.what.empty());
    EXPECT_EQ(run(riscv(words({0xDEAD0637, 0x00962023}))).halt.kind, HaltKind::crashed);
    EXPECT_EQ(run(riscv(halves({0x0000}))).halt.kind, HaltKind::crashed);
}

TEST(Counted, FlashIsNotWritten) {
    EXPECT_EQ(run(arm({0x2200, 0x6011})).halt.kind, HaltKind::crashed);
}

}  // namespace
}  // namespace metamorph::emu

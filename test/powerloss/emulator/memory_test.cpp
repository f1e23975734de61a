// What firmware must not read, and how it is told: SRAM that nobody wrote in this boot, NVM that may hold anything.
// And firmware that never ends.
#include <chrono>

#include "powerloss/emulator/emulated_fixture.h"

namespace metamorph {
namespace {

constexpr const char* k_tasks = "app/net_tasks.c";
constexpr const char* k_device = "cortex-m4-mapped";
// Of the digits network, split 3,3: what task 1 leaves to task 2.
constexpr std::int64_t k_arena_begin = 128, k_arena_end = 1408;
constexpr int k_before_task_1 = 1, k_before_task_2 = 2;

class Memory : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = missing_compiler(k_device)) {
            GTEST_SKIP() << *missing;
        }
    }
    void build(const std::string& from = "", const std::string& to = "") {
        m_firmware = EmulatedFirmware::build(k_device, [&](FirmwareProject& project) {
            if (!from.empty()) {
                project.edit(k_tasks, from, to);
            }
        });
        ASSERT_NE(m_firmware, nullptr);
        m_machine = m_firmware->record();
        ASSERT_NE(m_machine, nullptr);
    }
    std::vector<verify::Fault> faults_of(const emu::CutRun& run) const {
        std::vector<verify::Fault> faults;
        for (const emu::RawSegment& segment : run.segments) {
            for (const verify::Fault& fault : m_machine->told(segment).faults) {
                faults.push_back(fault);
            }
        }
        return faults;
    }
    verify::BootResult boot(const verify::BootImage& image) {
        auto boots = m_machine->boot({image});
        EXPECT_TRUE(boots.has_value()) << describe(boots.error());
        return boots && boots->size() == 1 ? boots->front() : verify::BootResult{};
    }
    void an_unknown_byte_stops_the_boot_that_reads_it();
    void an_unknown_byte_is_none_once_it_is_written();
    void the_record_itself_may_not_be_unknown();

    std::unique_ptr<EmulatedFirmware> m_firmware;
    std::unique_ptr<verify::EmulatedMachine> m_machine;
};

TEST_F(Memory, AReadOfSramThatNobodyWroteIsToldWithItsPlace) {
    build("mm_task_id_t net_task_01(void)\n{\n",
          "MM_SRAM_PLACEMENT volatile uint8_t never_written[8];\nmm_task_id_t net_task_01(void)\n{\n"
          "    if (never_written[3] == 77u) {\n        return 0u;\n    }\n");
    const auto faults = faults_of(run_with_cut(*m_machine, m_firmware->no_nvm(), {}));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].kind, "poisoned-read");
    EXPECT_NE(faults[0].what.find("never_written + 3"), std::string::npos) << faults[0].what;
    EXPECT_EQ(faults[0].where.rfind("net_task_01 (net_tasks.c:", 0), 0U) << faults[0].where;
}

TEST_F(Memory, AWordOfWhichOneByteIsUnwrittenIsTold) {
    build("mm_task_id_t net_task_01(void)\n{\n",
          "MM_SRAM_PLACEMENT _Alignas(4) volatile uint8_t partly[4];\nmm_task_id_t net_task_01(void)\n{\n"
          "    partly[0] = 1u;\n    partly[1] = 1u;\n    partly[3] = 1u;\n"
          "    if (*(volatile uint32_t *)&partly[0] == 77u) {\n        return 0u;\n    }\n");
    const auto faults = faults_of(run_with_cut(*m_machine, m_firmware->no_nvm(), {}));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].what.find("partly"), std::string::npos) << faults[0].what;
}

TEST_F(Memory, SramOfAnEarlierBootIsUnwrittenAgain) {
    // Written by task 1, read by task 2: well as long as no cut is between them.
    const auto firmware = EmulatedFirmware::build(k_device, [](FirmwareProject& project) {
        project.edit(k_tasks, "mm_task_id_t net_task_01(void)\n{\n",
                     "MM_SRAM_PLACEMENT volatile uint8_t kept;\nmm_task_id_t net_task_01(void)\n{\n    kept = 5u;\n");
        project.edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n",
                     "mm_task_id_t net_task_02(void)\n{\n    if (kept == 77u) {\n        return 0u;\n    }\n");
    });
    ASSERT_NE(firmware, nullptr);
    m_machine = firmware->record();
    ASSERT_NE(m_machine, nullptr);
    EXPECT_TRUE(faults_of(run_with_cut(*m_machine, firmware->no_nvm(), {})).empty());
    const std::string& between = m_machine->recording().images[k_before_task_2];
    const auto faults = faults_of(run_with_cut(*m_machine, between, {}));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].what.find("kept"), std::string::npos) << faults[0].what;
}

void Memory::an_unknown_byte_stops_the_boot_that_reads_it() {
    for (const std::int64_t byte : {k_arena_begin, k_arena_begin + 777, k_arena_end - 1}) {
        const verify::BootResult result = boot({k_before_task_2, {}, IntervalSet(byte, byte + 1)});
        ASSERT_TRUE(result.needs_unknown) << byte;
        EXPECT_LE(result.unknown_address, byte);
        EXPECT_GT(std::int64_t{result.unknown_address} + result.unknown_bytes, byte);
        EXPECT_NE(result.unknown_where.find(".c:"), std::string::npos) << result.unknown_where;
    }
}

void Memory::an_unknown_byte_is_none_once_it_is_written() {
    const verify::BootResult known = boot({k_before_task_1, {}, {}});
    const verify::BootResult unknown = boot({k_before_task_1, {}, IntervalSet(k_arena_begin, k_arena_end)});
    ASSERT_FALSE(known.needs_unknown);
    ASSERT_FALSE(unknown.needs_unknown) << unknown.unknown_where << " reads NVM " << unknown.unknown_address;
    EXPECT_EQ(unknown.first->steps.size(), known.first->steps.size());
    EXPECT_EQ(unknown.future, known.future);
    EXPECT_GE(unknown.future, 0);
}

void Memory::the_record_itself_may_not_be_unknown() {
    const verify::BootResult result = boot({k_before_task_1, {}, IntervalSet(0, 128)});
    ASSERT_TRUE(result.needs_unknown);
    EXPECT_LT(result.unknown_address, 128U);
    EXPECT_EQ(result.unknown_where.rfind("mm_", 0), 0U) << result.unknown_where;
}

TEST_F(Memory, OfARightProgramIsKnown) {
    build();
    EXPECT_TRUE(faults_of(run_with_cut(*m_machine, m_firmware->no_nvm(), {})).empty());
    an_unknown_byte_stops_the_boot_that_reads_it();
    an_unknown_byte_is_none_once_it_is_written();
    the_record_itself_may_not_be_unknown();
}

TEST_F(Memory, AnEndlessLoopIsToldInBoundedTime) {
    m_firmware = EmulatedFirmware::build(k_device, [](FirmwareProject& project) {
        project.edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n",
                     "mm_task_id_t net_task_02(void)\n{\n    for (;;) {\n        __asm volatile(\"nop\");\n    }\n");
    });
    ASSERT_NE(m_firmware, nullptr);
    const auto began = std::chrono::steady_clock::now();
    m_machine = m_firmware->record();
    ASSERT_NE(m_machine, nullptr);
    const verify::Segment& last = *m_machine->recording().segments.back();
    EXPECT_EQ(last.halt.kind, verify::Halt::Kind::endless);
    EXPECT_NE(last.halt.what.find("net_task_02 (net_tasks.c:"), std::string::npos) << last.halt.what;
    const emu::CutRun run = run_with_cut(*m_machine, m_firmware->no_nvm(), {});
    EXPECT_EQ(run.segments.back().halt.kind, emu::HaltKind::endless);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
}

}  // namespace
}  // namespace metamorph

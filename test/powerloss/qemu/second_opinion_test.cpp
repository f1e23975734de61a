// A second opinion on sampled cuts: QEMU. It must agree with our emulator on right programs and on spoilt ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "powerloss/firmware/firmware_fixture.h"
#include "powerloss/qemu/second_opinion.h"

namespace metamorph {
namespace {

constexpr std::uint64_t k_cuts = METAMORPH_QEMU_CUTS;

struct Tally {
    std::uint64_t cuts = 0, wrong = 0;
    std::set<std::string> kinds;  // that QEMU found
};

std::string print(const SecondOpinion::Verdicts& verdicts) {
    return fmt::format("ours [{}], QEMU [{}] {}", fmt::join(verdicts.ours, " "), fmt::join(verdicts.qemu, " "),
                       verdicts.differs);
}

Tally expect_agreement(SecondOpinion& opinion, std::uint64_t count) {
    Tally tally;
    const auto cuts = opinion.cut_in_qemu(count);
    EXPECT_TRUE(cuts.has_value()) << describe(cuts.error());
    for (const QemuCut& cut : cuts ? *cuts : std::vector<QemuCut>{}) {
        const auto verdicts = opinion.judge(cut);
        if (!verdicts) {
            ADD_FAILURE() << cut.at.print() << ": " << describe(verdicts.error());
            break;
        }
        EXPECT_TRUE(verdicts->agree()) << "cut " << cut.at.print() << ": " << print(*verdicts);
        ++tally.cuts;
        tally.wrong += verdicts->qemu.empty() ? 0 : 1;
        tally.kinds.insert(verdicts->qemu.begin(), verdicts->qemu.end());
    }
    return tally;
}

std::optional<std::string> what_is_missing(const std::string& device) {
    const auto compiler = missing_compiler(device);
    const bool is_arm = device.starts_with("cortex");
    return compiler ? compiler : missing_qemu(is_arm ? emu::Firmware::Core::cortex_m4f : emu::Firmware::Core::rv32imc);
}

std::unique_ptr<SecondOpinion> opinion_of(const std::string& device, FirmwareProject& project, int inferences = 1) {
    auto opinion = SecondOpinion::make(device, project, inferences);
    EXPECT_TRUE(opinion.has_value()) << describe(opinion.error());
    return opinion ? std::move(*opinion) : nullptr;
}

class SecondOpinionOn : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (const auto missing = what_is_missing(GetParam())) {
            GTEST_SKIP() << *missing;
        }
        m_project.emplace(GetParam());
    }
    std::optional<FirmwareProject> m_project;
};

TEST_P(SecondOpinionOn, AgreesOnARightProgram) {
    const auto opinion = opinion_of(GetParam(), *m_project);
    ASSERT_NE(opinion, nullptr);
    const Tally tally = expect_agreement(*opinion, k_cuts);
    EXPECT_GE(tally.cuts, k_cuts);
    EXPECT_EQ(tally.kinds, std::set<std::string>());
    RecordProperty("writes", std::to_string(opinion->writes()));
    RecordProperty("cuts", std::to_string(tally.cuts));
}

TEST_P(SecondOpinionOn, AgreesOnCutsOfARecovery) {
    const auto opinion = opinion_of(GetParam(), *m_project, 2);
    ASSERT_NE(opinion, nullptr);
    const auto cuts = opinion->cut_in_qemu(20);
    ASSERT_TRUE(cuts.has_value()) << describe(cuts.error());
    std::uint64_t second = 1;
    for (const QemuCut& cut : *cuts) {
        const auto verdicts = opinion->judge_twice(cut, second);
        ASSERT_TRUE(verdicts.has_value()) << describe(verdicts.error());
        EXPECT_TRUE(verdicts->agree()) << "cut " << cut.at.print() << "+" << second << ": " << print(*verdicts);
        EXPECT_TRUE(verdicts->qemu.empty()) << print(*verdicts);
        second = second * 3 % 101;  // 100 numbers, in no order: most in the first commits of a recovery
    }
}

// A comparison that cannot fail is worthless.
TEST_P(SecondOpinionOn, SeesACutOneWriteOff) {
    const auto opinion = opinion_of(GetParam(), *m_project);
    ASSERT_NE(opinion, nullptr);
    const auto cuts = opinion->cut_in_qemu(20);
    ASSERT_TRUE(cuts.has_value()) << describe(cuts.error());
    std::size_t seen = 0;
    for (QemuCut cut : *cuts) {
        cut.at.units += cut.at.units + 1 < opinion->writes() ? 1 : 0;
        const auto verdicts = opinion->judge(cut);
        ASSERT_TRUE(verdicts.has_value()) << describe(verdicts.error());
        seen += verdicts->agree() ? 0 : 1;
    }
    EXPECT_GE(seen, 10U) << "of " << cuts->size() << "; writes that change nothing go unseen";
}

std::string name_of_device(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Qemu, SecondOpinionOn, testing::ValuesIn(emulated_devices()),
                         [](const auto& of) { return name_of_device(of.param); });

// Faults of the field (test/powerloss/firmware has them all): both machines must find them, at the same cuts.
struct Seeded {
    const char *device, *file, *from, *to, *kind;
};

class SecondOpinionOnFault : public testing::TestWithParam<Seeded> {};

TEST_P(SecondOpinionOnFault, Agrees) {
    const Seeded& fault = GetParam();
    if (const auto missing = what_is_missing(fault.device)) {
        GTEST_SKIP() << *missing;
    }
    FirmwareProject project(fault.device);
    project.edit(fault.file, fault.from, fault.to);
    const auto opinion = opinion_of(fault.device, project);
    ASSERT_NE(opinion, nullptr);
    const Tally tally = expect_agreement(*opinion, k_cuts);
    EXPECT_EQ(tally.kinds.count(fault.kind), 1U) << fmt::format("{}", fmt::join(tally.kinds, " "));
    EXPECT_LT(tally.wrong, tally.cuts) << "some cuts do no harm";
    RecordProperty("wrong", std::to_string(tally.wrong));
}

constexpr Seeded k_faults[] = {
    {"cortex-m4-spi", "runtime/src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);",
     "mm_write_record(mm_state.slot);", "lost-progress"},
    {"rv32imc-mapped", "runtime/src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);",
     "mm_write_record(mm_state.slot);", "lost-progress"},
    {"cortex-m4-mapped", "app/net_tasks.c", "mm_task_id_t net_task_02(void)\n{\n",
     "mm_task_id_t net_task_02(void)\n{\n    volatile uint8_t *sum = &mm_nvm[140];\n"
     "    for (unsigned i = 0; i < 32u; i++) {\n        *sum = (uint8_t)(*sum + 8u);\n    }\n",
     "wrong-output"},
    {"rv32imc-spi", "app/net_tables.c", ".commit = commit_01, .fetch_count = 1u, .commit_count = 1u",
     ".commit = commit_01, .fetch_count = 1u, .commit_count = 0u", "wrong-output"},
    {"rv32imc-mapped", "app/net_tasks.c",
     "(int8_t *)&net_sram_arena[0]);\n    net_softmax_06((const int8_t *)&net_sram_arena[0]",
     "(int8_t *)&mm_nvm[128]);\n    net_softmax_06((const int8_t *)&mm_nvm[128]", "wrong-output"},
};

INSTANTIATE_TEST_SUITE_P(Qemu, SecondOpinionOnFault, testing::ValuesIn(k_faults), [](const auto& of) {
    return name_of_device(of.param.device) + "_" + name_of_device(of.param.kind);
});

}  // namespace
}  // namespace metamorph

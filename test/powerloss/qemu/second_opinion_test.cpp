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
};

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
        EXPECT_TRUE(verdicts->agree()) << "cut " << cut.at.print() << ": ours ["
                                       << fmt::format("{}", fmt::join(verdicts->ours, " ")) << "], QEMU ["
                                       << fmt::format("{}", fmt::join(verdicts->qemu, " ")) << "] "
                                       << verdicts->differs;
        ++tally.cuts;
        tally.wrong += verdicts->qemu.empty() ? 0 : 1;
    }
    return tally;
}

class SecondOpinionOn : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        for (const auto& missing : {missing_compiler(GetParam()), missing_qemu_for(GetParam())}) {
            if (missing) {
                GTEST_SKIP() << *missing;
            }
        }
        m_project.emplace(GetParam());
    }
    static std::optional<std::string> missing_qemu_for(const std::string& device) {
        return missing_qemu(device.starts_with("rv32") ? emu::Firmware::Core::rv32imc
                                                       : emu::Firmware::Core::cortex_m4f);
    }
    Tally agreement(std::uint64_t count) {
        auto opinion = SecondOpinion::make(GetParam(), *m_project, 1);
        EXPECT_TRUE(opinion.has_value()) << describe(opinion.error());
        return opinion ? expect_agreement(**opinion, count) : Tally{};
    }
    std::optional<FirmwareProject> m_project;
};

TEST_P(SecondOpinionOn, AgreesOnARightProgram) {
    const Tally tally = agreement(k_cuts);
    EXPECT_GE(tally.cuts, k_cuts);
    EXPECT_EQ(tally.wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(Qemu, SecondOpinionOn, testing::ValuesIn(emulated_devices()), [](const auto& of) {
    std::string name = of.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace metamorph

// Keyword spotting: every write unit on a bus, thousands of cuts in mapped NVM. The time is spent in child processes
// that are not sanitized, so a sanitized configuration leaves this out.
#include <gtest/gtest.h>

#include "powerloss/run/run_fixture.h"

namespace metamorph {
namespace {

using tasks::NvmMode;

constexpr std::uint64_t k_mapped_cuts = 2500;

class KeywordSpotting : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const auto model = zoo_model("kws_ref_model.tflite");
        if (!model) {
            GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
        }
        m_model = *model;
    }

    std::filesystem::path m_model;
};

TEST_P(KeywordSpotting, SurvivesACutAtEveryWriteUnitOnABus) {
    const auto result = pipeline::run(request_for(m_model, GetParam(), NvmMode::bus));
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
    EXPECT_GE(result->woven.front().cuts->cuts_tried, result->woven.front().cuts->units_total);
}

TEST_P(KeywordSpotting, SurvivesThousandsOfCutsInMappedNvm) {
    pipeline::RunRequest request = request_for(m_model, GetParam(), NvmMode::mapped);
    request.cuts_max = k_mapped_cuts;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
    const report::CutSummary& cuts = *result->woven.front().cuts;
    EXPECT_GE(cuts.cuts_tried, std::min(k_mapped_cuts, cuts.units_total));
}

INSTANTIATE_TEST_SUITE_P(Splits, KeywordSpotting, testing::Values("whole", "3,3,3,3"), [](const auto& split) {
    std::string name = split.param;
    std::replace(name.begin(), name.end(), ',', '_');
    return name;
});

}  // namespace
}  // namespace metamorph

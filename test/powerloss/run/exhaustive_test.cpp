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

class ZooIsSampled : public testing::TestWithParam<std::tuple<const char*, Case>> {};

TEST_P(ZooIsSampled, SurvivesAndWritesOnlyWhatCrosses) {
    const auto model = zoo_model(std::get<0>(GetParam()));
    if (!model) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    pipeline::RunRequest request = request_for(*model, std::get<1>(GetParam()).split, std::get<1>(GetParam()).mode);
    request.cuts_max = 200;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ZooIsSampled,
    testing::Combine(testing::Values("kws_ref_model.tflite", "pretrainedResnet_quant.tflite", "ad01_int8.tflite"),
                     testing::Values(Case{"whole", NvmMode::mapped}, Case{"layer", NvmMode::mapped},
                                     Case{"3", NvmMode::mapped}, Case{"whole", NvmMode::bus},
                                     Case{"layer", NvmMode::bus}, Case{"3", NvmMode::bus})),
    [](const auto& all) {
        const std::string model = std::get<0>(all.param);
        return model.substr(0, model.find_first_of("_.")) + "_" +
               name_of(testing::TestParamInfo<Case>(std::get<1>(all.param), all.index));
    });

}  // namespace
}  // namespace metamorph

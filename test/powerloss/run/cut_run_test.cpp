// The promise itself: woven networks give the plain program's result whatever write the power is cut at.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline/project_folder.h"
#include "powerloss/run/run_fixture.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

using tasks::NvmMode;

void expect_every_unit_cut(const report::RunResult& result) {
    for (const report::WovenResult& woven : result.woven) {
        ASSERT_TRUE(woven.cuts.has_value());
        EXPECT_GE(woven.cuts->cuts_tried, woven.cuts->units_total);
    }
}

class EveryUnitOfDigits : public testing::TestWithParam<Case> {};

TEST_P(EveryUnitOfDigits, Survives) {
    pipeline::RunRequest request = request_for(digits_model(), GetParam().split, GetParam().mode);
    request.dataset = digits_dataset();
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
    expect_every_unit_cut(*result);
    ASSERT_TRUE(result->accuracy.has_value());
    EXPECT_GE(result->accuracy->right * 100, result->accuracy->images * 95);
}

INSTANTIATE_TEST_SUITE_P(Splits, EveryUnitOfDigits,
                         testing::Values(Case{"whole", NvmMode::mapped}, Case{"whole", NvmMode::bus},
                                         Case{"layer", NvmMode::mapped}, Case{"layer", NvmMode::bus},
                                         Case{"3,3", NvmMode::mapped}, Case{"3,3", NvmMode::bus},
                                         Case{"1,4,1", NvmMode::mapped}, Case{"1,4,1", NvmMode::bus}),
                         name_of);

class EveryUnitOfSine : public testing::TestWithParam<Case> {};

TEST_P(EveryUnitOfSine, Survives) {
    const auto model = zoo_model("hello_world_int8.tflite");
    if (!model) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    pipeline::RunRequest request = request_for(*model, GetParam().split, GetParam().mode);
    request.second_max.reset();  // every second cut, too
    request.inferences = 2;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
    expect_every_unit_cut(*result);
}

INSTANTIATE_TEST_SUITE_P(Splits, EveryUnitOfSine,
                         testing::Values(Case{"whole", NvmMode::mapped}, Case{"whole", NvmMode::bus},
                                         Case{"layer", NvmMode::mapped}, Case{"layer", NvmMode::bus},
                                         Case{"2,1", NvmMode::mapped}, Case{"2,1", NvmMode::bus}),
                         name_of);

TEST(CutRun, InputsInARowAreCutBetweenAndInside) {
    pipeline::RunRequest request = request_for(digits_model(), "2", NvmMode::bus);
    request.inferences = 3;
    request.seed = 7;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
    expect_every_unit_cut(*result);
}

TEST(CutRun, FewerCutsStillIncludeEveryCommitRecord) {
    pipeline::RunRequest request = request_for(digits_model(), "layer", NvmMode::mapped);
    request.cuts_max = 400;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    const report::WovenResult& woven = result->woven.front();
    EXPECT_EQ(woven.cuts->wrong_count, 0U);
    EXPECT_LT(woven.cuts->cuts_tried, woven.cuts->units_total);
    EXPECT_GE(woven.cuts->cuts_tried, 400U);
}

// What a user relies on. How many recoveries end early depends on the processes: each sees one a commit to its end
// first.
TEST(CutRunJobs, VerdictsCutsAndRebootsDoNotDependOnThem) {
    std::vector<report::CutSummary> all;
    for (const unsigned jobs : {1U, 5U}) {
        pipeline::RunRequest request = request_for(digits_model(), "whole", NvmMode::bus);
        request.jobs = jobs;
        const auto result = pipeline::run(request);
        ASSERT_TRUE(result.has_value()) << describe(result.error());
        expect_all_survived(*result);
        all.push_back(*result->woven.front().cuts);
    }
    EXPECT_EQ(all[0].units_total, all[1].units_total);
    EXPECT_EQ(all[0].cuts_tried, all[1].cuts_tried);
    EXPECT_EQ(all[0].second_cuts_tried, all[1].second_cuts_tried);
    EXPECT_EQ(all[0].reboots, all[1].reboots);
}

TEST(CutRun, AReplayOfACutThatThereIsNotIsAnError) {
    for (const auto& [id, why] :
         {std::pair{"cut:99999", "there are only "}, {"cut:200+99999", "the recovery from cut:200 has only "}}) {
        pipeline::RunRequest request = request_for(digits_model(), "whole", NvmMode::bus);
        request.replay = id;
        const auto result = pipeline::run(request);
        ASSERT_FALSE(result.has_value()) << id;
        EXPECT_EQ(result.error().code, ErrorCode::options);
        EXPECT_EQ(result.error().where, "--replay");
        EXPECT_NE(result.error().message.find(why), std::string::npos) << result.error().message;
    }
}

// Values that only one task needs live in NVM where SRAM is too small for them: written before they are read, they are
// as safe there.
class NvmScratch : public testing::TestWithParam<std::pair<const char*, std::int64_t>> {};

TEST_P(NvmScratch, SurvivesThousandsOfCuts) {
    const auto& [split, sram_bytes_max] = GetParam();
    pipeline::WeaveRequest weaving;
    weaving.model = digits_model();
    weaving.split = tasks::parse_split(split).value();
    weaving.sram_bytes_max = sram_bytes_max;
    const auto woven = pipeline::weave_model(weaving);
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    const std::vector<tasks::Variable>& variables = woven->plan->variables;
    EXPECT_TRUE(std::any_of(variables.begin(), variables.end(), [](const tasks::Variable& v) {
        return v.placement == tasks::Placement::nvm_scratch && v.bytes.bytes() > 0;
    })) << woven->explanation;
    const auto scratch = ScratchFolder::make("metamorph-nvm-scratch").value();
    ASSERT_TRUE(pipeline::write_project(scratch.path() / "app", woven->project.files));

    pipeline::RunRequest request;
    request.model = scratch.path() / "app";
    request.is_woven = true;
    request.inferences = 2;
    request.cuts_max = 2000;
    request.second_max = 1;
    request.jobs = 2;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    EXPECT_TRUE(result->is_right());
    ASSERT_TRUE(result->woven.front().cuts.has_value());
    EXPECT_EQ(result->woven.front().cuts->wrong_count, 0U);
    EXPECT_GE(result->woven.front().cuts->cuts_tried, 2000U);
    EXPECT_GT(result->woven.front().nvm_bytes_written_per_inference, woven->plan->crossing_bytes);
}

INSTANTIATE_TEST_SUITE_P(Splits, NvmScratch,
                         testing::Values(std::pair("whole", std::int64_t{0}), std::pair("3,3", std::int64_t{0}),
                                         std::pair("whole", std::int64_t{1024})),
                         [](const auto& chosen) {
                             return fmt::format("{}_{}", chosen.param.first == std::string("3,3") ? "3_3" : "whole",
                                                chosen.param.second);
                         });

class CountedWithoutCuts : public testing::TestWithParam<NvmMode> {};

TEST_P(CountedWithoutCuts, WritesAreThoseThatCrossAndTheRecords) {
    pipeline::RunRequest request = request_for(digits_model(), "3,3", GetParam());
    request.cuts = false;
    request.inferences = 2;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    EXPECT_TRUE(result->is_right());
    const report::WovenResult& woven = result->woven.front();
    EXPECT_FALSE(woven.cuts.has_value());
    EXPECT_GT(woven.crossing_bytes, 0);
    EXPECT_GT(woven.commit_record_bytes, 0);
    EXPECT_EQ(woven.nvm_bytes_written_per_inference, woven.crossing_bytes + woven.commit_record_bytes);
    EXPECT_TRUE(report::json_of(*result)["woven"][0]["cuts"].is_null());
    EXPECT_EQ(report::text_of(*result).find("power cuts"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Modes, CountedWithoutCuts, testing::Values(NvmMode::mapped, NvmMode::bus),
                         [](const auto& mode) { return mode.param == NvmMode::mapped ? "mapped" : "bus"; });

}  // namespace
}  // namespace metamorph

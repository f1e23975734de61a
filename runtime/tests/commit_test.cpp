// The commit on every memory: each cut, each tear, nested twice, from each content of NVM (model/model.h).
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "model.h"

namespace {

// Sanitizers look at the code, which a single cut runs through; two in a row would cost them minutes.
#ifdef METAMORPH_SANITIZED
constexpr unsigned k_depth = 1;
#else
constexpr unsigned k_depth = 2;
#endif

class EveryCut : public testing::TestWithParam<std::tuple<model_image_t, unsigned>> {};

TEST_P(EveryCut, IsSurvived) {
    const auto [image, unit_bytes] = GetParam();
    const model_findings_t findings = model_explore(image, unit_bytes, k_depth);
    EXPECT_EQ(findings.wrong, 0u) << findings.first;
    EXPECT_GT(findings.lives, k_depth == 2 ? 50000u : 200u);  // fewer: the checker did not look
}

std::string name_of(const testing::TestParamInfo<std::tuple<model_image_t, unsigned>>& info) {
    static const char* const names[] = {"Zeros", "Ones", "Noise", "OtherApplication", "SequenceWraps"};
    return std::string(names[std::get<0>(info.param)]) + "UnitsOf" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Commit, EveryCut,
                         testing::Combine(testing::Values(MODEL_ZEROS, MODEL_ONES, MODEL_NOISE, MODEL_OTHER_APP,
                                                          MODEL_WRAP),
                                          testing::Values(1u, 2u, 4u, 8u, 16u)),
                         name_of);

TEST(Reflashing, NeverRevivesStaleState) {
    for (const unsigned unit_bytes : {1u, 2u, 4u, 8u, 16u}) {
        const model_findings_t findings = model_explore_reflashing(unit_bytes);
        EXPECT_EQ(findings.wrong, 0u) << unit_bytes << ": " << findings.first;
        EXPECT_EQ(findings.older, 0u) << unit_bytes;
        EXPECT_GT(findings.lives, 200u);
    }
}

TEST(NoProgress, IsReportedAfterTheLimitAndNotBefore) {
    EXPECT_EQ(model_boot_in_vain(16, false).times_asked, 0u);
    const model_attempts_t given_up = model_boot_in_vain(40, false);
    EXPECT_EQ(given_up.first_asked, 17u);
    EXPECT_EQ(given_up.attempts, 16u);
    EXPECT_EQ(given_up.times_asked, 24u);
    EXPECT_EQ(given_up.ended, 24u);
}

TEST(NoProgress, PortMayHaveItTriedAgain) {
    const model_attempts_t stubborn = model_boot_in_vain(40, true);
    EXPECT_EQ(stubborn.times_asked, 24u);
    EXPECT_EQ(stubborn.ended, 0u);
}

TEST(NoProgress, WaitingForInputIsNotFailing) {
    EXPECT_EQ(model_boot_idle(1000).times_asked, 0u);
}

TEST(Defects, TablesThatContradictThemselvesAreRefused) {
    EXPECT_EQ(model_run_with(MODEL_SOUND), 1);  // MM_STATUS_IDLE
    for (int defect = MODEL_NO_TASKS; defect <= MODEL_NO_SRAM; defect++) {
        EXPECT_EQ(model_run_with(static_cast<model_defect_t>(defect)), 4) << defect;  // MM_STATUS_BAD_TABLE
    }
}

TEST(Defects, ErrorsOfThePortAndOfTasksAreNotDropped) {
    EXPECT_EQ(model_run_with(MODEL_PORT_CANNOT_OPEN), 3);  // MM_STATUS_NVM_ERROR, returned
    EXPECT_EQ(model_run_with(MODEL_SUCCESSOR_OUT_OF_RANGE), 104);
    EXPECT_EQ(model_run_with(MODEL_READ_FAILS), 103);  // to mm_port_fatal
    EXPECT_EQ(model_run_with(MODEL_WRITE_FAILS), 103);
    EXPECT_EQ(model_run_with(MODEL_BARRIER_FAILS), 103);
}

}  // namespace

// The commit on every memory: each cut, each tear, with writes in order and reordered, nested twice or any number of
// times, from each content of NVM (model/model.h).
#include <gtest/gtest.h>

#include "metamorph/mm_runtime.h"

#include <string>
#include <tuple>

#include "model.h"

namespace {

// Sanitizers look at the code, which a single cut runs through; two in a row would cost them minutes.
#ifdef METAMORPH_SANITIZED
constexpr unsigned k_depth = 1;
const auto k_closed_units = testing::Values(4U);
#else
constexpr unsigned k_depth = 2;
const auto k_closed_units = testing::Values(1U, 2U, 4U, 8U, 16U);
#endif

constexpr std::uint64_t k_seed = 1;  // of what is sampled

using Case = std::tuple<model_image_t, unsigned, bool>;

model_memory_t memory_of(const Case& of, std::uint32_t variants_max) {
    return {std::get<1>(of), std::get<2>(of), variants_max, k_seed};
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
    static const char* const names[] = {"Zeros", "Ones", "Noise", "OtherApplication", "SequenceWraps"};
    return std::string(names[std::get<0>(info.param)]) + "UnitsOf" + std::to_string(std::get<1>(info.param)) +
           (std::get<2>(info.param) ? "Reordered" : "");
}

class EveryCut : public testing::TestWithParam<Case> {};

TEST_P(EveryCut, IsSurvived) {
    const model_memory_t memory = memory_of(GetParam(), 24);
    const model_findings_t findings = model_explore(std::get<0>(GetParam()), &memory, k_depth);
    EXPECT_EQ(findings.wrong, 0U) << "seed " << k_seed << ", " << findings.first;
    EXPECT_GT(findings.lives, k_depth == 2 ? 20000U : 100U);  // fewer: the checker did not look
}

INSTANTIATE_TEST_SUITE_P(Commit, EveryCut,
                         testing::Combine(testing::Values(MODEL_ZEROS, MODEL_ONES, MODEL_NOISE, MODEL_OTHER_APP,
                                                          MODEL_WRAP),
                                          testing::Values(1U, 2U, 4U, 8U, 16U), testing::Bool()),
                         name_of);

class AnyNumberOfCuts : public testing::TestWithParam<Case> {};

TEST_P(AnyNumberOfCuts, IsSurvived) {
    const model_memory_t memory = memory_of(GetParam(), 0);
    const model_findings_t findings = model_close(std::get<0>(GetParam()), &memory);
    RecordProperty("states", static_cast<int>(findings.states));
    EXPECT_EQ(findings.wrong, 0U) << "seed " << k_seed << ", " << findings.first;
    EXPECT_GT(findings.states, 250 * MM_ATTEMPTS_MAX);
    EXPECT_LT(findings.states, 750 * MM_ATTEMPTS_MAX);  // more: boots depend on something that they need not
}

INSTANTIATE_TEST_SUITE_P(Commit, AnyNumberOfCuts,
                         testing::Combine(testing::Values(MODEL_NOISE, MODEL_WRAP), k_closed_units, testing::Bool()),
                         name_of);

TEST(Reflashing, NeverRevivesStaleState) {
    for (const unsigned unit_bytes : {1U, 2U, 4U, 8U, 16U}) {
        for (const bool reorders : {false, true}) {
            const model_memory_t memory = {unit_bytes, reorders, 0, k_seed};
            const model_findings_t findings = model_explore_reflashing(&memory);
            EXPECT_EQ(findings.wrong, 0U) << unit_bytes << ", seed " << k_seed << ": " << findings.first;
            EXPECT_GT(findings.lives, 2000U);
        }
    }
}

TEST(NoProgress, IsReportedAfterTheLimitAndNotBefore) {
    EXPECT_EQ(model_boot_in_vain(MM_ATTEMPTS_MAX, false).times_asked, 0u);
    const model_attempts_t given_up = model_boot_in_vain(40, false);
    EXPECT_EQ(given_up.first_asked, MM_ATTEMPTS_MAX + 1);
    EXPECT_EQ(given_up.attempts, MM_ATTEMPTS_MAX);
    EXPECT_EQ(given_up.times_asked, 40 - MM_ATTEMPTS_MAX);
    EXPECT_EQ(given_up.ended, 40 - MM_ATTEMPTS_MAX);
}

TEST(NoProgress, PortMayHaveItTriedAgain) {
    const model_attempts_t stubborn = model_boot_in_vain(40, true);
    EXPECT_EQ(stubborn.times_asked, 40 - MM_ATTEMPTS_MAX);
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

// The host port and its cut driver on a sound application: nothing is wrong, and the counts are those that must be.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "toy_build.h"

namespace {

using nlohmann::json;

// Built once a mode.
const toy::Toy& sound_toy(const std::string& mode) {
    static std::map<std::string, std::unique_ptr<toy::Toy>> toys;
    std::unique_ptr<toy::Toy>& toy = toys[mode];
    if (toy == nullptr) {
        toy = std::make_unique<toy::Toy>(toy::Options{mode, {}, {}});
    }
    return *toy;
}

class Cuts : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override { ASSERT_TRUE(m_toy.built()); }
    const toy::Toy& m_toy = sound_toy(GetParam());
};
std::string name_of(const testing::TestParamInfo<const char*>& mode) {
    return mode.param;
}
INSTANTIATE_TEST_SUITE_P(Host, Cuts, testing::Values("bus", "mapped"), name_of);

TEST_P(Cuts, EveryUnitIsSurvivedAndCounted) {
    const toy::Ended ended = m_toy.explore(3, "--nvm-fill noise:7");
    ASSERT_EQ(ended.status, 0) << ended.output;
    const json report = ended.report();
    EXPECT_EQ(report["wrong_count"], 0) << ended.output;
    EXPECT_EQ(report["mode"], GetParam());
    EXPECT_EQ(report["cuts_tried"], report["units_total"].get<int>() + 1);
    EXPECT_EQ(report["second_cuts_tried"], report["cuts_tried"]);
    EXPECT_EQ(report["reboots"], 3 * report["cuts_tried"].get<int>());
    EXPECT_EQ(report["commits"], 1 + 3 * 5);
    EXPECT_GT(report["tasks_run_again"], report["cuts_tried"]);
    EXPECT_GT(report["recoveries_ended_early"], report["cuts_tried"]);
    // in 16, residual 24, a 16, state 12, b 48, out 32; five commits of 34 bytes each, but that the first of all finds
    // its slot unsealed.
    EXPECT_EQ(report["nvm_bytes_written"]["per_inference"], json::array({{{"data", 148}, {"record", 170 - 4}},
                                                                         {{"data", 148}, {"record", 170}},
                                                                         {{"data", 148}, {"record", 170}}}));
    EXPECT_EQ(report["nvm_bytes_written"]["attempt"], 2);
    EXPECT_EQ(report["nvm_bytes_written"]["first_boot"], 8 + 12 + 30);  // unsealed once
}

TEST_P(Cuts, EverySecondCutOfEachRecoveryIsSurvived) {
    const toy::Ended ended = m_toy.explore(1, "--nvm-fill ones --second every --cut 8 --jobs 2");
    ASSERT_EQ(ended.status, 0) << ended.output;
    EXPECT_GT(ended.report()["second_cuts_tried"], 20 * ended.report()["cuts_tried"].get<int>());
}

TEST_P(Cuts, JobsDoNotChangeTheFindings) {
    json one = m_toy.explore(2, "--second 0").report();
    json two = m_toy.explore(2, "--second 0 --jobs 2").report();
    for (const char* varies : {"seconds", "recoveries_ended_early"}) {  // each job proves its own resumptions
        one.erase(varies);
        two.erase(varies);
    }
    EXPECT_EQ(one, two);
}

TEST_P(Cuts, FewerCutsKeepAllRecordsAndSaySo) {
    const json every = m_toy.explore(2, "--second 0").report();
    const int significant = every["units"]["record"].get<int>() + every["units"]["attempt"].get<int>() +
                            every["units"]["first_boot"].get<int>();
    const int wanted = significant + 60;
    const json fewer = m_toy.explore(2, "--second 0 --cut " + std::to_string(wanted)).report();
    EXPECT_EQ(fewer["cuts_tried"], wanted);
    EXPECT_EQ(fewer["cuts_possible"], every["cuts_tried"]);
    EXPECT_GE(m_toy.explore(2, "--second 0 --cut 1").report()["cuts_tried"], significant);
    EXPECT_LT(m_toy.explore(2, "--second 0 --cut 1").report()["cuts_tried"], wanted);
}

TEST_P(Cuts, NoneCountsTheUninterruptedLifeAlone) {
    const toy::Ended ended = m_toy.explore(3, "--cut none");
    ASSERT_EQ(ended.status, 0) << ended.output;
    const json none = ended.report();
    const json some = m_toy.explore(3, "--second 0 --cut 1").report();
    EXPECT_EQ(none["cuts_tried"], 0);
    EXPECT_EQ(none["reboots"], 0);
    for (const char* same : {"units_total", "units", "commits", "nvm_bytes_written", "wrong_count"}) {
        EXPECT_EQ(none[same], some[same]) << same;
    }
    EXPECT_EQ(m_toy.explore(1, "--cut none --replay cut:1").status, 64);
}

TEST_P(Cuts, BudgetThatIsLargeEnoughTriesThemAll) {
    const json report = m_toy.explore(1, "--second 0 --cut-budget 100").report();
    EXPECT_EQ(report["cuts_tried"], report["cuts_possible"]);
    EXPECT_EQ(report["wrong_count"], 0);
}

// Each look at the clock takes 100 ms: how many cuts there is time for does not depend on this machine.
TEST_P(Cuts, WhenTheBudgetIsOverNoCutIsBegun) {
    const json every = m_toy.explore(2, "--second 0").report();
    const toy::FakeClock clock(m_toy, 100);
    const auto within = [&](int seconds, const std::string& more) {
        return m_toy.explore(2, "--cut-budget " + std::to_string(seconds) + " " + more).report();
    };
    const int first = every["cuts_first"];
    const json hardly = within(10, "--second 0");
    EXPECT_GT(hardly["cuts_tried"], 50);
    EXPECT_LE(hardly["cuts_tried"], 100) << "a look at the clock a cut";
    EXPECT_LT(hardly["cuts_tried"], first) << "else this shows nothing";
    EXPECT_EQ(hardly["cuts_planned"], every["cuts_tried"]);
    EXPECT_EQ(hardly["cuts_tried"], within(10, "--second 0")["cuts_tried"]);
    const json seconds = within(10, "--second every");
    EXPECT_LE(seconds["cuts_tried"].get<int>() + seconds["second_cuts_tried"].get<int>(), 100);
    EXPECT_GT(seconds["second_cuts_tried"], seconds["cuts_tried"]);
    const json some = within((first + every["cuts_tried"].get<int>()) / 20, "--second 0");
    EXPECT_GT(some["cuts_tried"], first);
    EXPECT_LT(some["cuts_tried"], every["cuts_tried"]);
    EXPECT_EQ(some["wrong_count"], 0);
}

TEST_P(Cuts, PowerCyclesOfTheProgramItselfAddUpToTheSameOutputs) {
    for (const int after : {105, 131, 400}) {
        std::filesystem::remove(m_toy.file("nvm"));
        std::filesystem::remove(m_toy.file("outputs"));
        int cuts = 0;
        toy::Ended ended = m_toy.run(3, "--outputs outputs --cut-after " + std::to_string(after));
        for (; ended.status == 128 + 9 && cuts < 50; cuts++) {
            ended = m_toy.run(3, "--outputs outputs --cut-after " + std::to_string(after));
        }
        EXPECT_EQ(ended.status, 0);
        EXPECT_GT(cuts, 0);
        EXPECT_EQ(toy::read_file(m_toy.file("outputs")), m_toy.plain_outputs(3)) << after;
    }
}

TEST_P(Cuts, TooFrequentCutsAreReportedAsNoProgress) {
    std::filesystem::remove(m_toy.file("nvm"));
    std::filesystem::remove(m_toy.file("outputs"));
    toy::Ended ended = m_toy.run(1, "--outputs outputs --cut-after 70");
    int boots = 1;
    for (; ended.status == 128 + 9 && boots < 50; boots++) {
        ended = m_toy.run(1, "--outputs outputs --cut-after 24"); /* an attempt is counted, and little more */
    }
    EXPECT_EQ(ended.status, 71) << toy::read_file(m_toy.file("stderr"));
    EXPECT_LE(boots, 18);
}

TEST_P(Cuts, WrongOptionsAndFilesAreRefused) {
    EXPECT_EQ(m_toy.run(1, "--outputs outputs --cut-afte 3").status, 64);
    EXPECT_EQ(m_toy.run(1, "--outputs outputs --cut-after x").status, 64);
    EXPECT_EQ(m_toy.run(99, "--outputs outputs").status, 64);  // inputs too short
    for (const char* id : {"cut:999999", "unit:1", "cut:", "cut:-1", "cut: 1", "cut:1x", "cut:1+", "cut:1+-1",
                           "cut:1+2+3", "cut:1+9999999999999999999"}) {
        EXPECT_EQ(m_toy.run(1, std::string("--replay '") + id + "'").status, 64) << id;
    }
}

// A second cut that is not reached is no cut that was survived.
TEST_P(Cuts, ASecondCutBehindTheRecoveryIsRefused) {
    const toy::Ended first = m_toy.explore(1, "--replay cut:150+0");
    EXPECT_EQ(first.status, 0);
    EXPECT_EQ(first.report()["second_cuts_tried"], 1);
    const toy::Ended beyond = m_toy.explore(1, "--jobs 2 --replay cut:150+99999");
    EXPECT_EQ(beyond.status, 64);
    const std::string said = toy::read_file(m_toy.file("stderr"));
    const std::size_t at = said.find("the recovery from cut:150 has only ");
    ASSERT_NE(at, std::string::npos) << said;
    const int units = std::atoi(said.c_str() + at + sizeof "the recovery from cut:150 has only " - 1);
    ASSERT_GT(units, 0);
    EXPECT_EQ(m_toy.explore(1, "--replay cut:150+" + std::to_string(units)).status, 64);
    EXPECT_EQ(m_toy.explore(1, "--replay cut:150+" + std::to_string(units - 1)).status, 0);
}

}  // namespace

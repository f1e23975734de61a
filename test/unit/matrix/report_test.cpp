// What readers of a session get: JSON, the timeline, why a run came out as it did.
#include "matrix/report.h"

#include <gtest/gtest.h>

#include "unit/matrix/fake_commands.h"
#include "unit/store/fake_world.h"

namespace metamorph::matrix {
namespace {

using store::FakeWorld;

class ReportTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(m_world.disk().write("/p/a.tflite", "network"));
        m_runner.ends[{"whole", "build"}] = {exited(1), "a.c:3:1: error: expected ';'\n"};
        const ExecuteDoors doors = doors_for(m_runner, m_world.disk());
        auto session = Session::create(m_world.disk(), "/s", {}, sample_runs({"whole", "layer"}), doors.copy);
        ASSERT_TRUE(session);
        m_session.emplace(std::move(*session));
        ASSERT_TRUE(execute(*m_session, {1, 10'000}, doors));
    }
    FakeWorld m_world;
    FakeRunner m_runner{m_world.disk()};
    std::optional<Session> m_session;
};

TEST_F(ReportTest, WhyTellsErrorCommandLogAndHowToRepeat) {
    const Explanation told = explain(*m_session, **find_run(*m_session, "whole"));
    EXPECT_EQ(told.text,
              "a.native.cortex-m4-spi.gcc.whole: BuildFailed: a.c:3:1: error: expected ';'\n"
              "in the stage build: cmake --build proof/cortex-m4-spi-build\n"
              "log: /s/0001/runs/a.native.cortex-m4-spi.gcc.whole/logs/build.log\n"
              "library tflm 3f9a81c2d4e5: hit in 0.5 s\n"
              "folder: /s/0001/runs/a.native.cortex-m4-spi.gcc.whole\n"
              "repeat it with: sh /s/0001/runs/a.native.cortex-m4-spi.gcc.whole/repeat\n");
    EXPECT_EQ(told.json.at("status"), "BuildFailed");
    ASSERT_TRUE(m_session->forget(m_session->plans()[0]));
    const Explanation none = explain(*m_session, m_session->plans()[0]);
    EXPECT_NE(none.text.find("metamorph matrix --resume --session 1\n"), std::string::npos) << none.text;
}

TEST_F(ReportTest, ARunIsFoundByAPartOfItsName) {
    EXPECT_EQ((*find_run(*m_session, "gcc.layer"))->values[4], "layer");
    EXPECT_EQ(find_run(*m_session, "gcc").error().message, "'gcc' is a part of 2 names");
    EXPECT_EQ(find_run(*m_session, "a.native.cortex-m4-spi.gcc.layr").error().hint,
              "did you mean 'a.native.cortex-m4-spi.gcc.layer' or 'a.native.cortex-m4-spi.gcc.whole'?");
}

TEST_F(ReportTest, JsonHasARowARun) {
    const Results results = results_of(*m_session);
    const auto json = report_json(*m_session, results, *make_table(results.runs, {{"run", "code", "stage"}, "", {}}));
    EXPECT_EQ(json.dump(),
              R"({"schema":"metamorph-report-1","session":1,"version":"","columns":["run","code","stage"],"rows":[)"
              R"({"run":"a.native.cortex-m4-spi.gcc.whole","code":null,"stage":"build"},)"
              R"({"run":"a.native.cortex-m4-spi.gcc.layer","code":10.0,"stage":"verify"}],"missing":[]})");
}

TEST(Summary, CountsEachLibraryThatWasBuiltOnce) {
    Results results;
    RunResult a, b;
    a.status = b.status = RunStatus::right;
    a.libraries = {{"tflm", "1", "built", 9, "2", {"flag", "header.a", "header.b"}}, {"tflm", "3", "hit", 0, "", {}}};
    b.libraries = {{"tflm", "1", "waited", 9, "", {}}};
    results.runs = {a, b};
    EXPECT_EQ(summary_of(results), "2 runs: 2 Right; 2 libraries: 1 built, 1 from the store");
    EXPECT_EQ(cell_of(a, *column_named("library")).text, "built+hit");
    EXPECT_EQ(cell_of(b, *column_named("libraries")).text, "tflm:1");
    EXPECT_EQ(cell_of(a, *column_named("library_seconds")).number, 9);
}

TEST(Timeline, HasABarAStageAndLanesThatDoNotOverlap) {
    Results results;
    RunResult a, b;
    a.name = "a";
    a.stages = {{"weave", 0, 2, 1, 5}, {"build", 2, 2, 2, 5}};
    b.name = "b";
    b.stages = {{"weave", 1, 2, 1, 5}};
    results.runs = {a, b};
    const auto json = timeline_of(results);
    std::map<std::string, int> lanes;
    int used_at_most = 0;
    for (const auto& event : json.at("traceEvents")) {
        if (event.at("ph") == "X") {
            lanes[event.at("args").at("run").get<std::string>() + event.at("name").get<std::string>()] =
                event.at("tid");
        } else {
            used_at_most = std::max(used_at_most, event.at("args").at("used").get<int>());
        }
    }
    EXPECT_EQ(lanes, (std::map<std::string, int>{{"aweave", 1}, {"bweave", 2}, {"abuild", 1}}));
    EXPECT_EQ(used_at_most, 3);
}

}  // namespace
}  // namespace metamorph::matrix

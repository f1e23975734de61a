// Sessions on a disk in memory, by several processes.
#include "matrix/session.h"

#include <gtest/gtest.h>

#include <set>

#include "unit/matrix/fake_commands.h"
#include "unit/store/fake_world.h"

namespace metamorph::matrix {
namespace {

using store::Disk;
using store::FakeWorld;

Status copy_nothing(const std::filesystem::path&, const std::filesystem::path&) {
    return {};
}

TEST(Session, NumbersAreUniqueBetweenProcesses) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        FakeWorld world(seed);
        std::vector<int> numbers(4, 0);
        std::vector<std::function<void(Disk&)>> actors;
        for (int& number : numbers) {
            actors.emplace_back([&number](Disk& disk) {
                const auto session = Session::create(disk, "/s", {}, sample_runs({"whole"}), copy_nothing);
                number = session ? session->number() : -1;
            });
        }
        world.run(actors);
        EXPECT_EQ(std::set<int>(numbers.begin(), numbers.end()), (std::set<int>{1, 2, 3, 4})) << "seed " << seed;
    }
}

TEST(Session, IsReadBackAsItWas) {
    FakeWorld world;
    SessionFacts facts{"1.2", "abc", 17.5, 99, {3, 4, 5, 6, "/f"}};
    std::vector<NewRun> runs = sample_runs({"whole", "3,3"});
    runs[1].plan.skipped = "no";
    runs[1].plan.options = {{"a", "b"}, {"a", "c"}};
    runs[1].plan.generator_version = "x 2";
    runs[1].plan.tolerance = 0.25;
    ASSERT_TRUE(Session::create(world.disk(), "/s", facts, runs, copy_nothing));
    const auto session = Session::open(world.disk(), "/s", "latest", false);
    ASSERT_TRUE(session) << describe(session.error());
    EXPECT_EQ(session->number(), 1);
    EXPECT_EQ(session->facts().version, "1.2");
    EXPECT_EQ(session->facts().memory_mib, 99);
    EXPECT_EQ(session->facts().settings.stage_seconds, 6U);
    EXPECT_EQ(session->facts().settings.frameworks, "/f");
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(json_of(session->plans()[i]), json_of(runs[i].plan));
    }
}

TEST(Session, TwoProcessesNeverWorkOnOne) {
    FakeWorld world;
    const auto session = Session::create(world.disk(), "/s", {}, sample_runs({"whole"}), copy_nothing);
    ASSERT_TRUE(session);
    const auto second = Session::open(world.disk(1), "/s", "1", true);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message, "another process works on session 1");
    EXPECT_TRUE(Session::open(world.disk(1), "/s", "1", false)) << "reading is no work";
}

TEST(Session, WhatIsNotThereIsToldWithWhatIs) {
    FakeWorld world;
    EXPECT_EQ(Session::open(world.disk(), "/s", "latest", false).error().message, "there is no session yet");
    ASSERT_TRUE(Session::create(world.disk(), "/s", {}, sample_runs({"whole"}), copy_nothing));
    const auto none = Session::open(world.disk(), "/s", "7", false);
    EXPECT_EQ(none.error().message, "there is no session '7'");
    EXPECT_EQ(none.error().hint, "there are sessions 1 to 1");
}

TEST(Session, TwoFilesOfOneModelWithOneNameAreRefused) {
    FakeWorld world;
    std::vector<NewRun> runs = sample_runs({"whole", "layer"});
    runs[1].sources = {"/other/a.tflite"};
    const auto session = Session::create(world.disk(), "/s", {}, runs, copy_nothing);
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().code, ErrorCode::options);
    EXPECT_EQ(Session::open(world.disk(), "/s", "latest", false).error().message, "there is no session yet");
}

TEST(Session, ADamagedFileCountsAsNotThere) {
    FakeWorld world;
    const auto session = Session::create(world.disk(), "/s", {}, sample_runs({"whole"}), copy_nothing);
    const RunPlan& plan = session->plans()[0];
    ASSERT_TRUE(session->put_stage(plan, {"weave", 1, 2, 3, 4}));
    ASSERT_TRUE(session->put_stage(plan, {"build", 1, 2, 3, 4}));
    RunResult result;
    result.name = plan.name;
    result.values = plan.values;
    result.output = OutputCheck{true, true, 0.5, 1, 2};
    ASSERT_TRUE(session->put_result(plan, result));
    EXPECT_EQ(session->done_stages(plan).size(), 2U);
    EXPECT_EQ(json_of(*session->result_of(plan)), json_of(result));
    const std::string folder = session->folder_of(plan).string();
    world.nodes[folder + "/result.json"].contents.pop_back();
    world.nodes[folder + "/result.json"].contents.pop_back();
    world.nodes[folder + "/stages/weave.json"].contents = "";
    EXPECT_FALSE(session->result_of(plan));
    EXPECT_TRUE(session->done_stages(plan).empty()) << "what is behind a damaged stage is done again, too";
    ASSERT_TRUE(session->forget(plan));
    EXPECT_FALSE(world.nodes.contains(folder + "/result.json"));
}

}  // namespace
}  // namespace metamorph::matrix

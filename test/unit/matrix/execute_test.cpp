// Runs of a session by fake commands: each has its result, whatever becomes of the others.
#include "matrix/execute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "matrix/report.h"
#include "unit/matrix/fake_commands.h"
#include "unit/store/fake_world.h"

namespace metamorph::matrix {
namespace {

using store::FakeWorld;

struct Sample {
    FakeWorld world;
    FakeRunner runner{world.disk()};
    std::vector<NewRun> runs = sample_runs({"whole", "layer", "3,3"});

    Session session() {
        EXPECT_TRUE(world.disk().write("/p/a.tflite", "network"));
        auto made = Session::create(world.disk(), "/s", {}, runs, doors_for(runner, world.disk()).copy);
        EXPECT_TRUE(made);
        return std::move(*made);
    }
    Executed execute(const Session& session) {
        const auto executed = matrix::execute(session, {1, 10'000}, doors_for(runner, world.disk()));
        EXPECT_TRUE(executed) << describe(executed.error());
        return executed.value_or(Executed{});
    }
};

TEST(Execute, EveryRunGetsItsResultAndAFailureStopsNothing) {
    Sample sample;
    sample.runs[2].plan.skipped = "not installed";
    sample.runner.ends[{"whole", "build"}] = {exited(1), "a.c:3:1: error: expected ';'\n"};
    const Session session = sample.session();
    EXPECT_TRUE(sample.execute(session).unfinished.empty());
    const Results results = results_of(session);
    ASSERT_EQ(results.runs.size(), 3U);
    EXPECT_EQ(results.runs[0].status, RunStatus::build_failed);
    EXPECT_EQ(results.runs[0].detail, "a.c:3:1: error: expected ';'");
    EXPECT_EQ(results.runs[0].stage, "build");
    EXPECT_EQ(results.runs[0].log, "logs/build.log");
    EXPECT_EQ(results.runs[0].stages.size(), 2U);
    EXPECT_EQ(results.runs[1].status, RunStatus::right);
    EXPECT_EQ(results.runs[1].figures.at("instructions"), 100);
    EXPECT_EQ(results.runs[1].elf_sha256.size(), 64U);
    EXPECT_EQ(results.runs[1].libraries.at(0).key, "3f9a81c2d4e5f6");
    EXPECT_EQ(results.runs[0].libraries.size(), 1U) << "also of a run that failed later";
    EXPECT_EQ(results.runs[2].status, RunStatus::skipped);
    EXPECT_EQ(results.runs[2].detail, "not installed");
    EXPECT_EQ(summary_of(results), "3 runs: 1 Right, 1 BuildFailed, 1 Skipped; 1 library: 0 built, 1 from the store");
}

TEST(Execute, AFolderHasEverythingToRepeatARun) {
    Sample sample;
    const Session session = sample.session();
    sample.execute(session);
    const std::string folder = session.folder_of(session.plans()[1]).string();
    EXPECT_EQ(sample.world.nodes.at(folder + "/inputs/a.tflite").contents, "network");
    const std::string script = sample.world.nodes.at(folder + "/repeat").contents;
    for (const char* part : {"#!/bin/sh\n", "metamorph=${METAMORPH:-/bin/metamorph}",
                             "\"$metamorph\" weave inputs/a.tflite -o woven --tasks layer --device cortex-m4-spi",
                             "cmake --build proof/cortex-m4-spi-build\n", "\"$metamorph\" verify woven"}) {
        EXPECT_NE(script.find(part), std::string::npos) << part << "\n" << script;
    }
}

TEST(Execute, WhatIsDoneIsNotDoneAgain) {
    Sample sample;
    const Session session = sample.session();
    sample.execute(session);
    EXPECT_EQ(sample.runner.ran.size(), 3U * 4U);
    sample.runner.ran.clear();
    sample.execute(session);
    EXPECT_TRUE(sample.runner.ran.empty());
    ASSERT_TRUE(session.forget(session.plans()[0]));
    sample.execute(session);
    EXPECT_EQ(sample.runner.ran.size(), 4U);
}

// The machine's trouble is no result: the run is done again by --resume, from the stage on that was disturbed.
TEST(Execute, ADiskThatIsFullIsNoResult) {
    Sample sample;
    sample.runner.ends[{"whole", "build"}] = {exited(1), "fatal error: a.o: No space left on device\n"};
    ProcessOutcome killed;
    killed.end = ProcessOutcome::End::signalled;
    killed.signal = SIGTERM;
    sample.runner.ends[{"layer", "weave"}] = {killed, ""};
    const Session session = sample.session();
    const Executed executed = sample.execute(session);
    EXPECT_EQ(executed.unfinished.size(), 2U);
    EXPECT_EQ(results_of(session).runs.size(), 1U);
    sample.runner.ends.clear();
    sample.runner.ran.clear();
    EXPECT_TRUE(sample.execute(session).unfinished.empty());
    EXPECT_EQ(results_of(session).runs.size(), 3U);
    const auto& ran = sample.runner.ran;
    EXPECT_EQ(std::count(ran.begin(), ran.end(), "a.native.cortex-m4-spi.gcc.whole weave"), 0) << "was done";
    EXPECT_EQ(std::count(ran.begin(), ran.end(), "a.native.cortex-m4-spi.gcc.layer weave"), 1);
}

TEST(Execute, ResultsThatCannotBeWrittenAreAnError) {
    Sample sample;
    const Session session = sample.session();
    sample.world.fault = [](const std::string& what, const std::string& path) {
        return what == "write" && path.find("result.json") != std::string::npos ? "no space" : "";
    };
    const auto executed = matrix::execute(session, {1, 10'000}, doors_for(sample.runner, sample.world.disk()));
    ASSERT_FALSE(executed);
    EXPECT_EQ(executed.error().code, ErrorCode::system);
}

TEST(Execute, EveryEventIsTold) {
    Sample sample;
    sample.runner.ends[{"whole", "weave"}] = {exited(3), R"({"error": {"code": "toolchain", "message": "m"}})"};
    const Session session = sample.session();
    ExecuteDoors doors = doors_for(sample.runner, sample.world.disk());
    std::vector<std::string> told;
    doors.tell = [&](const Event& event) {
        constexpr std::array names{"began", "ended", "finished", "unfinished"};
        told.push_back(std::string(names[static_cast<std::size_t>(event.kind)]) + " " + event.plan.values[4] + " " +
                       event.stage + (event.result != nullptr ? std::string(" ") + name_of(event.result->status) : ""));
    };
    ASSERT_TRUE(matrix::execute(session, {1, 10'000}, doors));
    EXPECT_EQ(told, (std::vector<std::string>{"began whole weave", "finished whole weave GenerateFailed",
                                              "began layer weave", "ended layer weave", "began layer build",
                                              "ended layer build", "began layer verify", "finished layer verify Right",
                                              "began 3,3 weave", "ended 3,3 weave", "began 3,3 build",
                                              "ended 3,3 build", "began 3,3 verify", "finished 3,3 verify Right"}));
}

}  // namespace
}  // namespace metamorph::matrix

// A matrix is killed, or the power is cut, at each of its calls of the disk: what is done by --resume then gives the
// report of one that nobody disturbed.
#include <gtest/gtest.h>

#include "matrix/execute.h"
#include "matrix/report.h"
#include "unit/matrix/fake_commands.h"
#include "unit/store/fake_world.h"

namespace metamorph::matrix {
namespace {

using store::Disk;
using store::FakeWorld;

constexpr const char* k_boot = "/proc/sys/kernel/random/boot_id";

void prepare(FakeWorld& world) {
    world.nodes["/p"].is_folder = true;
    world.nodes["/p/a.tflite"] = {false, true, false, "network", 0};
    world.nodes[k_boot] = {false, true, false, "first", 0};
}

// `resumes`: goes on with the session that is there; where there is none, it begins one, as a user would.
void run_matrix(Disk& disk, bool resumes) {
    FakeRunner runner(disk);
    runner.ends[{"whole", "build"}] = {exited(1), "a.c:3:1: error: expected ';'\n"};
    const ExecuteDoors doors = doors_for(runner, disk);
    std::vector<NewRun> runs = sample_runs({"whole", "layer", "3,3"});
    runs[2].plan.skipped = "not installed";
    auto session = Session::open(disk, "/s", "latest", true);
    if (!resumes || !session) {
        session = Session::create(disk, "/s", {}, runs, doors.copy);
    }
    if (session) {
        (void)execute(*session, {1, 10'000}, doors);
    }
}

std::string report(Disk& disk) {
    const auto session = Session::open(disk, "/s", "latest", false);
    if (!session) {
        return describe(session.error());
    }
    const Results results = results_of(*session);
    std::vector<std::string> columns;
    for (const Column& column : all_columns()) {
        columns.push_back(column.name);
    }
    nlohmann::ordered_json json = report_json(*session, results, *make_table(results.runs, {columns, "", {}}));
    json.erase("session");  // its number: one that was not begun takes none away
    return json.dump(1);
}

struct Undisturbed {
    std::string report;
    std::int64_t calls = 0;
};

Undisturbed undisturbed() {
    FakeWorld world;
    prepare(world);
    run_matrix(world.disk(0), false);
    const std::int64_t calls = world.calls(0);
    return {report(world.disk(1)), calls};
}

TEST(MatrixCrash, KilledAtAnyCall) {
    const Undisturbed whole = undisturbed();
    ASSERT_NE(whole.report.find("BuildFailed"), std::string::npos) << whole.report;
    ASSERT_NE(whole.report.find("Right"), std::string::npos);
    for (std::int64_t call = 1; call <= whole.calls; ++call) {
        FakeWorld world;
        prepare(world);
        world.kill_at(0, call);
        run_matrix(world.disk(0), false);
        run_matrix(world.disk(1), true);
        ASSERT_EQ(report(world.disk(1)), whole.report) << "call " << call << " of " << whole.calls;
    }
}

// How often the report is not that of an undisturbed matrix.
int wrong_after_cuts(bool forgets, bool is_boot_told) {
    const Undisturbed whole = undisturbed();
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        for (std::int64_t call = 1; call <= whole.calls; ++call) {
            FakeWorld world(seed);
            prepare(world);
            world.forgets = forgets;
            world.kill_at(0, call);
            run_matrix(world.disk(0), false);
            world.cut_power();
            if (is_boot_told) {
                world.nodes[k_boot] = {false, true, false, "second", 0};
            }
            run_matrix(world.disk(1), true);
            wrong += report(world.disk(1)) == whole.report ? 0 : 1;
        }
    }
    return wrong;
}

TEST(MatrixCrash, PowerIsCutAtAnyCall) {
    EXPECT_EQ(wrong_after_cuts(false, true), 0);
}

// The test of the test: what a stage made is not durable, so to trust it after a reboot is seen to be wrong.
TEST(MatrixCrash, ToTrustStagesOfBeforeARebootIsFoundOut) {
    EXPECT_GT(wrong_after_cuts(false, false), 0);
}

}  // namespace
}  // namespace metamorph::matrix

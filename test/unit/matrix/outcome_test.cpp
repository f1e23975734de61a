// How a run has ended, by what its commands left behind: a table, one line a way to end.
#include "matrix/outcome.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

#include "matrix/output_check.h"
#include "unit/matrix/fake_commands.h"
#include "unit/store/fake_world.h"

namespace metamorph::matrix {
namespace {

using End = ProcessOutcome::End;
using store::FakeWorld;

struct Case {
    const char* stage;
    End end;
    int number;        // exit status or signal
    const char* text;  // of the log or of the JSON
    std::optional<RunStatus> status;
    const char* detail;
};

std::string error_json(const std::string& code, const std::string& message, const std::string& where) {
    return nlohmann::json{{"error", {{"code", code}, {"message", message}, {"where", where}}}}.dump();
}

Verdict verdict_for(const Case& c) {
    FakeWorld world;
    const RunPlan plan = sample_runs({"layer"})[0].plan;
    const std::vector<Stage> stages = stages_of(plan, {});
    for (const Stage& stage : stages) {
        if (stage.name == c.stage) {
            const StageCommand& command = stage.commands.back();
            EXPECT_TRUE(world.disk().write("/r/" + (command.output.empty() ? command.log : command.output), c.text));
            ProcessOutcome outcome;
            outcome.end = c.end;
            outcome.status = outcome.signal = c.number;
            return verdict_of(world.disk(), "/r", {stage, command, outcome});
        }
    }
    return {};
}

TEST(Outcome, OfACommandThatDidNotGoWell) {
    const std::string too_large = error_json("options", "SRAM: 900 B are needed, 800 B are there", "device small");
    const std::string refusal = error_json("unsupported", "no LSTM", "layer 3");
    const std::string generator = error_json("toolchain", "tvm ended with exit status 1", "tvm");
    const std::string wrong = error_json("check_failed", "differs", "output 3"), ours = error_json("internal", "x", "");
    const std::string library = error_json("toolchain", "library 'tflm': error: y", "/tmp/x/log");
    const std::string system = error_json("system", "cannot be written", "/x");
    const std::vector<Case> cases{
        {"weave", End::exited, 4, refusal.c_str(), RunStatus::refused, "no LSTM (layer 3)"},
        {"weave", End::exited, 2, too_large.c_str(), RunStatus::does_not_fit,
         "SRAM: 900 B are needed, 800 B are there (device small)"},
        {"weave", End::exited, 3, generator.c_str(), RunStatus::generate_failed, "tvm ended with exit status 1 (tvm)"},
        {"weave", End::exited, 3, library.c_str(), RunStatus::build_failed, "library 'tflm': error: y"},
        {"weave", End::exited, 70, ours.c_str(), RunStatus::failed, "x"},
        {"weave", End::exited, 5, system.c_str(), {}, "cannot be written"},
        {"weave", End::exited, 1, "", RunStatus::failed, "weave ended with exit status 1"},
        {"weave", End::signalled, SIGSEGV, "", RunStatus::failed, "weave ended with signal 11 (Segmentation fault)"},
        {"weave", End::signalled, SIGKILL, "", {}, "weave was ended: signal 9 (Killed)"},
        {"weave", End::timed_out, SIGKILL, "", RunStatus::timed_out,
         "weave did not end within its time (limits.stage_seconds)"},
        {"build", End::exited, 1, "[1/9] cc a.c\nFAILED: a.o\na.c:1:2: error: no ';'\na.c:2:1: error: more\n",
         RunStatus::build_failed, "a.c:1:2: error: no ';'"},
        {"build", End::exited, 1, "ld: a section will not fit\nld: region `FLASH' overflowed by 1234 bytes\n",
         RunStatus::does_not_fit, "ld: region `FLASH' overflowed by 1234 bytes"},
        {"build", End::exited, 1, "", RunStatus::build_failed, "it printed nothing"},
        {"build", End::exited, 1, "as: a.o: No space left on device\n", {}, "the disk is full"},
        {"verify", End::exited, 1, wrong.c_str(), RunStatus::diverged, "differs (output 3)"},
        {"verify", End::exited, 3, generator.c_str(), RunStatus::failed, "tvm ended with exit status 1 (tvm)"},
    };
    for (const Case& c : cases) {
        const Verdict verdict = verdict_for(c);
        EXPECT_EQ(verdict.status, c.status) << c.stage << ": " << c.text;
        EXPECT_EQ(verdict.detail, c.detail);
    }
}

RunResult result_for(const std::string& verify, const std::string& expected, double tolerance) {
    FakeWorld world;
    RunPlan plan = sample_runs({"layer"})[0].plan;
    plan.expected = expected.empty() ? "" : "out.bin";
    plan.tolerance = tolerance;
    store::Disk& disk = world.disk();
    EXPECT_TRUE(disk.write("/r/logs/weave.json", R"({"app_target": "a_app"})"));
    EXPECT_TRUE(disk.write("/r/logs/verify.json", verify));
    EXPECT_TRUE(disk.write("/r/proof/cortex-m4-spi-build/a_app", "elf"));
    EXPECT_TRUE(disk.write("/r/inputs/out.bin", expected));
    RunResult result;
    const Status status = read_outcome(disk, "/r", plan, {}, result);
    if (!status) {
        result.detail = describe(status.error());
    }
    return result;
}

TEST(Outcome, OfAProof) {
    const RunResult right = result_for(verify_json(true), "", 0);
    EXPECT_EQ(right.status, RunStatus::right) << right.detail;
    EXPECT_EQ(right.figures.at("stack"), 40);
    EXPECT_EQ(right.figures.at("cuts"), 7);
    EXPECT_EQ(right.elf_sha256.substr(0, 8), "780d84b2");
    EXPECT_EQ(result_for(verify_json(false, "no-progress"), "", 0).status, RunStatus::no_progress);
    EXPECT_EQ(result_for(verify_json(false, "task-never-fits"), "", 0).status, RunStatus::no_progress);
    const RunResult diverged = result_for(verify_json(false, "wrong-output"), "", 0);
    EXPECT_EQ(diverged.status, RunStatus::diverged);
    EXPECT_EQ(diverged.detail, "wrong-output 17: x");
    EXPECT_EQ(diverged.figures.at("instructions"), 100) << "figures are kept";
    EXPECT_EQ(result_for("{", "", 0).status, RunStatus::failed);
}

TEST(Outcome, BesideWhatIsExpected) {
    const RunResult exact = result_for(verify_json(true), "\x01\xff", 0);
    EXPECT_EQ(exact.status, RunStatus::right);
    EXPECT_TRUE(exact.output->is_exact);
    EXPECT_EQ(result_for(verify_json(true), "\x02\xff", 1).status, RunStatus::right) << "within the tolerance";
    const RunResult other = result_for(verify_json(true), "\x04\xff", 1);
    EXPECT_EQ(other.status, RunStatus::unexpected);
    EXPECT_EQ(other.detail, "outputs differ from the expected ones by up to 3; same answer in 1 of 1");
    EXPECT_EQ(result_for(verify_json(true), "\x04\xff\x01", 1).detail, "it gives 2 B, and 3 B are expected");
}

TEST(OutputCheck, AnswersOfTheOtherTypeAreCompared) {
    const float values[] = {0.1F, 0.7F};
    std::string floats(sizeof values, '\0');
    std::memcpy(floats.data(), values, sizeof values);
    const auto same = compare_outputs(floats, std::string("\x01\x05"), true, 1, 0);
    ASSERT_TRUE(same);
    EXPECT_TRUE(same->is_within_tolerance);
    EXPECT_FALSE(same->is_exact);
    EXPECT_FALSE(compare_outputs(floats, std::string("\x05\x01"), true, 1, 0)->is_within_tolerance);
    EXPECT_FALSE(compare_outputs("abc", "ab", false, 1, 0));
    EXPECT_FALSE(compare_outputs("abc", "abd", false, 2, 0)) << "three values are no two inferences";
    EXPECT_EQ(bytes_of("01ff"), std::string("\x01\xff"));
}

}  // namespace
}  // namespace metamorph::matrix

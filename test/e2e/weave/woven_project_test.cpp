// A woven project as its user has it: the same bytes each time, building alone with the default compiler, clean under
// every strict compiler, and finishing however often it is killed.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "build/toolchain.h"
#include "pipeline/inputs.h"
#include "pipeline/pipeline.h"
#include "pipeline/project_folder.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

using tasks::NvmMode;

const fs::path k_model = fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite";

std::map<std::string, std::string> weave_files(const fs::path& model, const std::string& split, NvmMode mode,
                                               const std::vector<std::string>& slices = {}) {
    pipeline::WeaveRequest request{model, "", tasks::parse_split(split).value(), mode, {}};
    for (const std::string& slice : slices) {
        request.slices.push_back(tasks::parse_slice(slice).value());
    }
    const auto woven = pipeline::weave_model(request);
    EXPECT_TRUE(woven.has_value()) << describe(woven.error());
    return woven ? woven->project.files : std::map<std::string, std::string>{};
}

std::string read_all(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

ProcessOutcome run_in(const fs::path& folder, std::vector<std::string> argv, const std::string& input = "") {
    ProcessRequest request;
    request.argv = std::move(argv);
    request.directory = folder;
    request.input = input;
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome.has_value()) << describe(outcome.error());
    return outcome ? *outcome : ProcessOutcome{};
}

TEST(WovenProject, SameInputGivesTheSameBytesFromAnyFolder) {
    const auto scratch = ScratchFolder::make("metamorph-same").value();
    fs::copy_file(k_model, scratch.path() / k_model.filename());
    const auto here = weave_files(k_model, "3,3", NvmMode::mapped);
    const auto there = weave_files(scratch.path() / k_model.filename(), "3,3", NvmMode::mapped);
    const auto relative = weave_files(fs::relative(k_model), "3,3", NvmMode::mapped);
    EXPECT_EQ(here, there);
    EXPECT_EQ(here, relative);
    for (const auto& [path, contents] : here) {
        EXPECT_EQ(contents.find(scratch.path().string()), std::string::npos) << path;
        EXPECT_EQ(contents.find(METAMORPH_SOURCE_DIR), std::string::npos) << path << " holds an absolute path";
    }
}

TEST(WovenProject, GeneratedFilesAreUnchanged) {
    const auto model = pipeline::import_model(k_model).value();
    const auto code = pipeline::generate_code(model, "").value();
    const auto files = weave_files(k_model, "layer", NvmMode::bus);
    for (const auto& [path, contents] : code.files) {
        EXPECT_EQ(files.at("generated/" + path), contents) << path;
    }
}

TEST(WovenProject, SaysHowItWasSliced) {
    const auto files = weave_files(k_model, "3,3", NvmMode::mapped, {"1=4", "auto:1024B"});
    const std::string& tasks = files.at("app/digits_int8_tasks.c");
    EXPECT_NE(tasks.find("--tasks 3,3 --slice 1=4 --slice auto:1024B --nvm mapped"), std::string::npos);
    EXPECT_NE(tasks.find("/* Task 3: depthwise_conv2d_01_relu_rows [16, 32)."), std::string::npos) << tasks;
    EXPECT_NE(files.at("README.md").find("--slice 1=4 --slice auto:1024B"), std::string::npos);
    EXPECT_NE(files.at("weave.json").find("\"auto:1024B\""), std::string::npos);
    EXPECT_EQ(files, weave_files(k_model, "3,3", NvmMode::mapped, {"1=4", "auto:1024B"}));
}

TEST(WovenProject, WeavingAgainRewritesOnlyWhatChangedAndRemovesWhatIsStale) {
    const auto scratch = ScratchFolder::make("metamorph-again").value();
    auto files = weave_files(k_model, "3,3", NvmMode::mapped);
    files["app/stale.c"] = "/* of an earlier project */\n";
    ASSERT_TRUE(pipeline::write_project(scratch.path() / "app", files));
    std::ofstream(scratch.path() / "app/notes.txt") << "the user's own\n";
    files.erase("app/stale.c");
    const auto counts = pipeline::write_project(scratch.path() / "app", files);
    ASSERT_TRUE(counts.has_value());
    EXPECT_EQ(counts->written, 0);
    EXPECT_EQ(counts->removed, 1);
    EXPECT_TRUE(fs::exists(scratch.path() / "app/notes.txt"));
    EXPECT_FALSE(fs::exists(scratch.path() / "app/app/stale.c"));
}

TEST(WovenProject, AFolderOfSomebodyElseIsRefused) {
    const auto scratch = ScratchFolder::make("metamorph-foreign").value();
    std::ofstream(scratch.path() / "thesis.tex") << "years of work\n";
    const auto counts = pipeline::write_project(scratch.path(), weave_files(k_model, "whole", NvmMode::bus));
    ASSERT_FALSE(counts.has_value());
    EXPECT_EQ(counts.error().code, ErrorCode::options);
    EXPECT_NE(counts.error().message.find("did not write"), std::string::npos);
    EXPECT_EQ(read_all(scratch.path() / "thesis.tex"), "years of work\n");
}

class Alone : public testing::TestWithParam<NvmMode> {};

// Built by CMake's default compiler, with nothing of ours on its paths; killed again and again until it is done.
TEST_P(Alone, BuildsAndFinishesHoweverOftenItIsKilled) {
    const auto scratch = ScratchFolder::make("metamorph-alone").value();
    const fs::path folder = scratch.path() / "copied elsewhere";
    ASSERT_TRUE(pipeline::write_project(folder, weave_files(k_model, "3,3", GetParam())));
    for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
             {"cmake", "-B", "build", "-DCMAKE_C_FLAGS=-Werror"}, {"cmake", "--build", "build", "-j", "2"}}) {
        const ProcessOutcome outcome = run_in(folder, argv);
        ASSERT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
    }
    const std::string inputs = pipeline::random_inputs(3, 2 * 64);
    std::ofstream(folder / "inputs.bin", std::ios::binary) << inputs;
    const std::string expected = run_in(folder, {(folder / "build/digits_int8_plain").string()}, inputs).output;
    ASSERT_EQ(expected.size(), 2U * 10U);

    std::vector<std::string> app{(folder / "build/digits_int8_app").string(),
                                 "--nvm",
                                 "nvm.bin",
                                 "--inputs",
                                 "inputs.bin",
                                 "--outputs",
                                 "outputs.bin"};
    if (GetParam() == NvmMode::bus) {  // the default compiler has no callbacks for stores into mapped NVM
        int kills = 0;
        // Every boot dies; most soon, and one in six late enough to commit, so that no task is given up.
        for (int units = 1; kills < 60; units = kills % 6 == 5 ? 1500 + kills : 1 + kills * 37 % 400) {
            std::vector<std::string> killed = app;
            killed.insert(killed.end(), {"--cut-after", std::to_string(units)});
            const ProcessOutcome outcome = run_in(folder, killed);
            if (outcome.succeeded()) {
                break;
            }
            ASSERT_EQ(outcome.signal, SIGKILL) << outcome.print() << outcome.errors;
            ++kills;
        }
        EXPECT_GT(kills, 8);
    }
    ASSERT_TRUE(run_in(folder, app).succeeded());
    EXPECT_EQ(read_all(folder / "outputs.bin"), expected);

    // A process that was killed while it wrote an output leaves the beginning of it: the next one appends the rest.
    fs::resize_file(folder / "outputs.bin", 13);
    fs::remove(folder / "nvm.bin");
    ASSERT_TRUE(run_in(folder, app).succeeded());
    EXPECT_EQ(read_all(folder / "outputs.bin"), expected);
}

TEST(WovenProject, ALineFeedInTheModelsNameStaysInItsComment) {
    const auto scratch = ScratchFolder::make("metamorph-name").value();
    const fs::path odd = scratch.path() / "new\nline\xff.tflite";
    fs::copy_file(k_model, odd);
    const auto files = weave_files(odd, "whole", NvmMode::bus);
    ASSERT_FALSE(files.empty());
    for (const auto& [path, contents] : files) {
        EXPECT_EQ(contents.find("new\nline"), std::string::npos) << path;
        EXPECT_EQ(contents.find('\xff'), std::string::npos) << path;
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, Alone, testing::Values(NvmMode::mapped, NvmMode::bus),
                         [](const auto& mode) { return mode.param == NvmMode::mapped ? "mapped" : "bus"; });

struct StrictCase {
    const char* toolchain;
    std::vector<std::string> flags;
};

class Strict : public testing::TestWithParam<StrictCase> {};

// What goes into firmware: generated code, tasks, tables and the runtime. (The host port is compiled by its own tests.)
TEST_P(Strict, FirmwareSourcesCompileWithoutAWarning) {
    build::ProcessRunner runner;
    const auto toolchain = build::find_toolchain(runner, GetParam().toolchain);
    if (!toolchain) {
        GTEST_SKIP() << GetParam().toolchain << " is not installed";
    }
    for (const NvmMode mode : {NvmMode::mapped, NvmMode::bus}) {
        const auto scratch = ScratchFolder::make("metamorph-strict").value();
        const auto files = weave_files(k_model, "3,3", mode, {"1=4"});
        ASSERT_TRUE(write_files(scratch.path(), files));
        int compiled = 0;
        for (const auto& [path, contents] : files) {
            const bool is_host =
                path.find("ports/host") != std::string::npos || path.find("_host.c") != std::string::npos ||
                path.find("_plain.c") != std::string::npos || path.find("example/") != std::string::npos;
            if (fs::path(path).extension() != ".c" || is_host) {
                continue;
            }
            std::vector<std::string> argv{toolchain->compiler.string(),
                                          "-std=c11",
                                          "-Wall",
                                          "-Wextra",
                                          "-Wpedantic",
                                          "-Wconversion",
                                          "-Werror",
                                          "-O2",
                                          "-Igenerated",
                                          "-Iapp",
                                          "-Iruntime/include",
                                          "-Iruntime/src",
                                          "-c",
                                          path,
                                          "-o",
                                          "/dev/null"};
            argv.insert(argv.end(), toolchain->target_flags.begin(), toolchain->target_flags.end());
            argv.insert(argv.end(), GetParam().flags.begin(), GetParam().flags.end());
            const ProcessOutcome outcome = run_in(scratch.path(), argv);
            EXPECT_TRUE(outcome.succeeded()) << path << "\n" << outcome.errors;
            ++compiled;
        }
        EXPECT_GT(compiled, 14);
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Strict,
                         testing::Values(StrictCase{"gcc", {}}, StrictCase{"clang", {}}, StrictCase{"arm-gcc", {}},
                                         StrictCase{"riscv-gcc", {}}),
                         [](const auto& strict) {
                             std::string name = strict.param.toolchain;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace metamorph

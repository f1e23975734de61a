// With a fake compiler: order, log and errors. With the real one: that a program comes out.
#include "build/compile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "unit/build/fake_runner.h"

namespace metamorph::build {
namespace {

namespace fs = std::filesystem;

class CompileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "compile_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
        m_request.root = m_folder;
        m_request.output = m_folder / "bin" / "program";
        m_request.work = m_folder / "objects";
        m_toolchain.name = "gcc";
        m_toolchain.version = "12.2.0";
        m_toolchain.compiler = "/fake/gcc";
        m_toolchain.target_flags = {"-mtarget"};
    }
    void TearDown() override { fs::remove_all(m_folder); }

    void write(const std::string& name, const std::string& text) {
        fs::create_directories((m_folder / name).parent_path());
        std::ofstream(m_folder / name) << text;
        m_request.sources.emplace_back(name);
    }
    static std::string read(const fs::path& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

    fs::path m_folder;
    CompileRequest m_request;
    Toolchain m_toolchain;
};

// Slow for early sources, so that later ones end first.
ProcessOutcome fake_compiler(const ProcessRequest& request) {
    const std::string& source = request.argv[request.argv.size() - 3];
    if (request.argv[request.argv.size() - 4] != "-c") {
        return prints("");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(source < "c" ? 20 : 0));
    return fails(source.find("bad") != std::string::npos ? 1 : 0,
                 source + ":1:2: note: seen\n" +
                     (source.find("bad") != std::string::npos ? source + ":3:4: error: no such thing\n" : ""));
}

TEST_F(CompileTest, TheLogAndTheLinkDoNotDependOnJobs) {
    m_request.sources = {"a.c", "b.c", "c.c", "sub/a.c"};
    m_request.compile_flags = {"-O2"};
    m_request.link_flags = {"-lm"};
    std::vector<std::string> logs;
    for (int jobs : {1, 4}) {
        FakeRunner runner;
        runner.install("gcc", fake_compiler);
        m_request.jobs = jobs;
        const auto outcome = compile_and_link(runner, m_toolchain, m_request);
        ASSERT_TRUE(outcome);
        EXPECT_FALSE(outcome->has_warnings);
        EXPECT_EQ(runner.requests().size(), 5U);
        const std::string objects = (m_request.work / "").string();
        const std::vector<std::string> link{"/fake/gcc",
                                            "-mtarget",
                                            objects + "0000_a.o",
                                            objects + "0001_b.o",
                                            objects + "0002_c.o",
                                            objects + "0003_a.o",
                                            "-lm",
                                            "-o",
                                            m_request.output.string()};
        EXPECT_EQ(runner.requests().back().argv, link);
        EXPECT_EQ(runner.requests().front().directory, m_folder);
        logs.push_back(read(outcome->log));
    }
    EXPECT_EQ(logs[0], logs[1]);
    EXPECT_LT(logs[0].find("a.c:1:2: note"), logs[0].find("c.c:1:2: note"));
}

TEST_F(CompileTest, TheFirstBadSourceIsToldWhateverTheTiming) {
    m_request.sources = {"a.c", "b_bad.c", "c.c", "d_bad.c"};
    for (int jobs : {1, 4}) {
        FakeRunner runner;
        runner.install("gcc", fake_compiler);
        m_request.jobs = jobs;
        const auto outcome = compile_and_link(runner, m_toolchain, m_request);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, ErrorCode::toolchain);
        EXPECT_EQ(outcome.error().message,
                  "compiling b_bad.c with gcc 12.2.0 failed: exit status 1\nb_bad.c:3:4: error: no such thing");
        EXPECT_EQ(outcome.error().where, (m_request.work / "build.log").string());
        EXPECT_NE(read(outcome.error().where).find("d_bad.c:3:4: error"), std::string::npos);
    }
}

TEST_F(CompileTest, NothingToCompileIsOurBug) {
    FakeRunner runner;
    const auto outcome = compile_and_link(runner, m_toolchain, m_request);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::internal);
}

TEST_F(CompileTest, ARealProgramIsBuiltAndRuns) {
    ProcessRunner runner;
    const auto toolchain = find_toolchain(runner, "clang");
    ASSERT_TRUE(toolchain);
    write("main.c", "int answer(void);\nint main(void) { return answer(); }\n");
    write("sub/main.c", "int answer(void) { return 42; }\n");
    m_request.compile_flags = {"-Wall", "-Wextra", "-Werror"};
    m_request.jobs = 2;
    const auto outcome = compile_and_link(runner, *toolchain, m_request);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    ProcessRequest request;
    request.argv = {m_request.output.string()};
    EXPECT_EQ(run_process(request)->status, 42);
}

TEST_F(CompileTest, RealErrorsAreTold) {
    ProcessRunner runner;
    const auto toolchain = find_toolchain(runner, "clang");
    ASSERT_TRUE(toolchain);
    write("main.c", "int main(void) { return nothing; }\n");
    auto outcome = compile_and_link(runner, *toolchain, m_request);
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().message.find("main.c:1:25: error: use of undeclared identifier 'nothing'"),
              std::string::npos)
        << outcome.error().message;

    write("main.c", "int answer(void);\nint main(void) { return answer(); }\n");
    m_request.sources.pop_back();
    outcome = compile_and_link(runner, *toolchain, m_request);
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().message.find("linking program failed"), std::string::npos) << outcome.error().message;
    EXPECT_NE(outcome.error().message.find("undefined reference to `answer'"), std::string::npos);
}

TEST_F(CompileTest, WarningsAreSeen) {
    ProcessRunner runner;
    const auto toolchain = find_toolchain(runner, "clang");
    ASSERT_TRUE(toolchain);
    write("main.c", "int main(void) { int unused; return 0; }\n");
    m_request.compile_flags = {"-Wall"};
    const auto outcome = compile_and_link(runner, *toolchain, m_request);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->has_warnings);
    EXPECT_NE(read(outcome->log).find("unused variable 'unused'"), std::string::npos);
}

TEST(FirstErrors, ShowsErrorsOrTheLastLines) {
    EXPECT_EQ(first_errors("a\nx.c:1:1: error: one\nb\nx.c:2:1: error: two\nx.c:3:1: error: three\n", 2),
              "x.c:1:1: error: one\nx.c:2:1: error: two");
    EXPECT_EQ(first_errors("a\nb\nc\n", 2), "b\nc");
    EXPECT_EQ(first_errors("", 2), "");
}

}  // namespace
}  // namespace metamorph::build

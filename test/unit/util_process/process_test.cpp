// Real children: what comes out, what goes in, and that none is left behind.
#include "util/process.h"
#include "util/interrupt.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using End = ProcessOutcome::End;

ProcessRequest shell(const std::string& script) {
    ProcessRequest request;
    request.argv = {"/bin/sh", "-c", script};
    return request;
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

class ProcessTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "process_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
    }
    void TearDown() override { fs::remove_all(m_folder); }
    fs::path m_folder;
};

bool has_children() {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool is_alive(pid_t pid) {
    return ::kill(pid, 0) == 0;
}

// An orphan's zombie may be reaped late by whoever adopted it.
bool dies_soon(pid_t pid) {
    for (int i = 0; i < 200; ++i) {
        const std::string status = read_file("/proc/" + std::to_string(pid) + "/stat");
        if (!is_alive(pid) || status.find(") Z ") != std::string::npos) {
            return true;
        }
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

TEST_F(ProcessTest, CapturesBothStreamsAndTheExitStatus) {
    const auto outcome = run_process(shell("echo out; echo err >&2; exit 7"));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->end, End::exited);
    EXPECT_EQ(outcome->status, 7);
    EXPECT_EQ(outcome->output, "out\n");
    EXPECT_EQ(outcome->errors, "err\n");
    EXPECT_FALSE(outcome->succeeded());
    EXPECT_EQ(outcome->print(), "exit status 7");
    EXPECT_GT(outcome->peak_memory_bytes, 100'000);
    EXPECT_FALSE(has_children());
}

TEST_F(ProcessTest, ArgumentsAreNotSeenByAShell) {
    ProcessRequest request;
    request.argv = {"echo", "$HOME; *", "two words"};
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "$HOME; * two words\n");
}

TEST_F(ProcessTest, InputLargerThanAnyPipeComesBackWhole) {
    ProcessRequest request;
    request.argv = {"cat"};
    request.input.assign(3 << 20, 'x');
    request.input += "end";
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, request.input);
}

TEST_F(ProcessTest, WithoutInputTheChildReadsNothing) {
    const auto outcome = run_process(shell("wc -c"));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(std::stoi(outcome->output), 0);
}

TEST_F(ProcessTest, FilesInsteadOfCapture) {
    std::ofstream(m_folder / "in") << "hello";
    ProcessRequest request = shell("cat; echo err >&2; pwd");
    request.directory = m_folder;
    request.input_file = m_folder / "in";
    request.output_file = request.error_file = m_folder / "log";
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "");
    EXPECT_EQ(read_file(m_folder / "log"), "helloerr\n" + fs::canonical(m_folder).string() + "\n");
}

TEST_F(ProcessTest, EnvironmentReplacesOurOwnVariables) {
    ASSERT_EQ(::setenv("METAMORPH_TEST_VARIABLE", "ours", 1), 0);
    ProcessRequest request = shell("echo $METAMORPH_TEST_VARIABLE");
    EXPECT_EQ(run_process(request)->output, "ours\n");
    request.environment = {{"METAMORPH_TEST_VARIABLE", "theirs"}};
    EXPECT_EQ(run_process(request)->output, "theirs\n");
    request.environment = {{"PATH", "/usr/bin:/bin"}};
    request.inherits_environment = false;
    EXPECT_EQ(run_process(request)->output, "\n");
}

TEST_F(ProcessTest, ASignalIsToldByName) {
    const auto outcome = run_process(shell("kill -SEGV $$"));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->end, End::signalled);
    EXPECT_EQ(outcome->signal, SIGSEGV);
    EXPECT_EQ(outcome->print(), "signal 11 (Segmentation fault)");
}

TEST_F(ProcessTest, ATimeOutKillsTheGrandchildrenToo) {
    ProcessRequest request = shell("sleep 60 & echo $!; wait");
    request.timeout = 200ms;
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->end, End::timed_out);
    EXPECT_LT(outcome->seconds, 10);
    EXPECT_TRUE(dies_soon(static_cast<pid_t>(std::stol(outcome->output))));
    EXPECT_FALSE(has_children());
}

TEST_F(ProcessTest, AGrandchildThatOutlivesTheChildIsKilled) {
    const auto outcome = run_process(shell("sleep 60 & echo $!"));
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->succeeded());
    EXPECT_LT(outcome->seconds, 10);
    EXPECT_TRUE(dies_soon(static_cast<pid_t>(std::stol(outcome->output))));
}

TEST_F(ProcessTest, MemoryIsLimited) {
    ProcessRequest request;
    request.argv = {"python3", "-c", "x = bytearray(400 << 20); print(len(x))"};
    request.memory_bytes_max = 200LL << 20;
    const auto limited = run_process(request);
    ASSERT_TRUE(limited);
    EXPECT_FALSE(limited->succeeded());
    EXPECT_NE(limited->errors.find("MemoryError"), std::string::npos) << limited->errors;
    request.memory_bytes_max = 0;
    EXPECT_TRUE(run_process(request)->succeeded());
}

TEST_F(ProcessTest, EndlessOutputIsStopped) {
    ProcessRequest request = shell("exec yes");
    request.file_bytes_max = 1 << 20;
    request.timeout = 30s;
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->succeeded());
    EXPECT_NE(outcome->end, End::timed_out);
    EXPECT_LE(outcome->output.size(), 1U << 20);
}

// Metamorph runs itself, and under limits of others' (ulimit): only root may raise a hard limit.
TEST_F(ProcessTest, UnderALimitOfOursAChildKeepsItAndStarts) {
    const auto under_a_limit = [&] {
        const rlimit limit{512 << 20, 512 << 20};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            ::_exit(1);
        }
        ProcessRequest request = shell("ulimit -Hf");  // in units of 512 bytes
        request.file_bytes_max = 1LL << 30;
        const auto outcome = run_process(request);
        ::_exit(outcome && outcome->output == "1048576\n" ? 0 : 2);
    };
    EXPECT_EXIT(under_a_limit(), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessTest, AProgramThatDoesNotExistIsAToolchainError) {
    ProcessRequest request;
    request.argv = {"no-such-program-anywhere"};
    const auto outcome = run_process(request);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::toolchain);
    EXPECT_NE(outcome.error().message.find("no-such-program-anywhere"), std::string::npos);
}

TEST_F(ProcessTest, AFileThatIsNoProgramIsAToolchainError) {
    const fs::path file = m_folder / "noise";
    std::ofstream(file) << "\x7f"
                        << "ELF is not all it takes";
    fs::permissions(file, fs::perms::owner_all);
    ProcessRequest request;
    request.argv = {file.string()};
    const auto outcome = run_process(request);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::toolchain);
    EXPECT_FALSE(has_children());
}

TEST_F(ProcessTest, AFolderThatDoesNotExistIsNamed) {
    ProcessRequest request = shell("true");
    request.directory = m_folder / "nowhere";
    const auto outcome = run_process(request);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::system);
    EXPECT_EQ(outcome.error().where, request.directory.string());
}

TEST_F(ProcessTest, AnInterruptEndsUsAndTheChildrenAndRemovesScratchFolders) {
    const fs::path told = m_folder / "pids", noted = m_folder / "folder";
    const pid_t middle = ::fork();
    ASSERT_GE(middle, 0);
    if (middle == 0) {
        clean_up_on_interrupt();
        auto given_up = ScratchFolder::make("metamorph-test"), kept = ScratchFolder::make("metamorph-test");
        const auto scratch = ScratchFolder::make("metamorph-test");
        std::ofstream(scratch->path() / "file") << "contents";
        std::ofstream(noted) << scratch->path().string() << ' ' << kept->path().string();
        kept->keep();
        {
            const ScratchFolder ended = std::move(*given_up);
        }
        const auto outcome = run_process(shell("sleep 60 & echo $$ $! > " + told.string() + ".part; mv " +
                                               told.string() + ".part " + told.string() + "; wait"));
        ::_exit(outcome ? 1 : 2);
    }
    for (int i = 0; i < 1000 && !fs::exists(told); ++i) {
        std::this_thread::sleep_for(10ms);
    }
    ASSERT_TRUE(fs::exists(told));
    ASSERT_EQ(::kill(middle, SIGINT), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(middle, &status, 0), middle);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGINT);
    pid_t child = 0, grandchild = 0;
    std::ifstream(told) >> child >> grandchild;
    EXPECT_GT(grandchild, 0);
    EXPECT_TRUE(dies_soon(child));
    EXPECT_TRUE(dies_soon(grandchild));
    std::string scratch, kept;
    std::ifstream(noted) >> scratch >> kept;
    EXPECT_FALSE(scratch.empty());
    EXPECT_FALSE(fs::exists(scratch));
    EXPECT_TRUE(fs::remove(kept));
}

TEST_F(ProcessTest, FindsProgramsInPathOnly) {
    EXPECT_TRUE(find_program("sh"));
    EXPECT_FALSE(find_program(""));
    EXPECT_FALSE(find_program("process_test_of_nothing"));
    EXPECT_FALSE(find_program("/etc/passwd"));
    EXPECT_EQ(find_program("/bin/sh"), fs::path("/bin/sh"));
}

}  // namespace
}  // namespace metamorph

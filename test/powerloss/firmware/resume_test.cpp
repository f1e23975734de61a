// A search that is interrupted leaves a state; another process goes on from there to the same result.
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "powerloss/firmware/firmware_fixture.h"
#include "powerloss/run/run_fixture.h"

namespace metamorph {
namespace {

// What an interrupt may change is how much is run in all, and how long that takes.
std::string told(const report::VerifyResult& result) {
    nlohmann::ordered_json json = report::json_of(result);
    for (auto& device : json["devices"]) {
        for (const char* key : {"build_seconds", "recording_seconds", "search_seconds", "boot_instructions"}) {
            device.erase(key);
        }
        for (const char* run : {"plain", "woven", "plain_each", "woven_each"}) {
            device[run].erase("emulator_seconds");
        }
    }
    return json.dump(2);
}

class Resumed : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = missing_compiler("cortex-m4-mapped")) {
            GTEST_SKIP() << *missing;
        }
        m_folder = testing::TempDir() + "metamorph-resume-" + std::to_string(::getpid());
        m_state = m_folder / "verify.state";
    }
    void TearDown() override { std::filesystem::remove_all(m_folder); }
    // What a process that an interrupt ends removes are the scratch folders, so the project is in none.
    void copy_out(const FirmwareProject& project) const {
        std::filesystem::create_directories(m_folder);
        std::filesystem::copy(project.folder(), m_folder / "app", std::filesystem::copy_options::recursive);
    }
    pipeline::VerifyRequest request() const {
        pipeline::VerifyRequest request;
        request.model = m_folder / "app";
        request.is_woven = true;
        request.state = m_state;
        request.keep = m_folder / "work";  // built once
        m_change(request);
        return request;
    }
    // In a process of its own, which SIGINT ends at the `at`-th time that it could be interrupted. False: it came to
    // its end before.
    bool interrupt(int at, const std::filesystem::path& resume = {}) const {
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) {
            clean_up_on_interrupt();
            pipeline::VerifyRequest request = this->request();
            request.resume = resume;
            request.is_interrupted = [at, asked = 0]() mutable {
                if (++asked == at) {
                    ::raise(SIGINT);
                }
                return false;
            };
            const auto result = pipeline::verify(request);
            ::_exit(result ? 0 : 1);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGINT : WEXITSTATUS(status) == 0) << status;
        return WIFSIGNALED(status);
    }
    void expect_same_result(const std::vector<int>& places) const {
        const std::string whole = told(prove(request()));
        for (const int at : places) {
            std::filesystem::remove(m_state);
            ASSERT_TRUE(interrupt(at)) << "its end is before " << at;
            ASSERT_TRUE(std::filesystem::exists(m_state)) << at;
            interrupt(2, m_state);  // and once more
            pipeline::VerifyRequest request = this->request();
            request.resume = m_state;
            EXPECT_EQ(told(prove(request)), whole) << "interrupted at " << at;
        }
    }
    std::string refusal(const std::function<void(pipeline::VerifyRequest&)>& change) const {
        pipeline::VerifyRequest request = this->request();
        request.resume = m_state;
        change(request);
        const auto result = pipeline::verify(request);
        EXPECT_FALSE(result.has_value());
        if (result) {
            return "";
        }
        EXPECT_EQ(result.error().code, ErrorCode::options) << describe(result.error());
        return result.error().message;
    }
    std::filesystem::path m_folder, m_state;
    std::function<void(pipeline::VerifyRequest&)> m_change = [](auto&) {};
};

TEST_F(Resumed, ARightProgramComesToTheSameResult) {
    copy_out(FirmwareProject("cortex-m4-mapped", "whole"));
    expect_same_result({1, 6, 14});
}

TEST_F(Resumed, ASpoiltProgramComesToTheSameResult) {
    FirmwareProject project("cortex-m4-mapped", "whole");
    project.edit("runtime/src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);", "mm_write_record(mm_state.slot);");
    copy_out(project);
    expect_same_result({2, 4, 9});
}

// One cut after the other.
TEST_F(Resumed, WhatIsNotMergedComesToTheSameResult) {
    FirmwareProject project("cortex-m4-mapped", "whole");
    project.edit("runtime/src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);", "mm_write_record(mm_state.slot);");
    copy_out(project);
    m_change = [](auto& request) {
        request.merges = false;
        request.cuts_max = 20;
    };
    expect_same_result({1, 4, 15});
    EXPECT_NE(refusal([](auto& request) { request.cuts_max = 21; }).find("another search: one by one, depth 1, cut 20"),
              std::string::npos);
}

TEST_F(Resumed, AStateOfSomethingElseIsRefused) {
    copy_out(FirmwareProject("cortex-m4-mapped", "whole"));
    ASSERT_TRUE(interrupt(3));
    EXPECT_NE(refusal([](auto& request) { request.depth = 1; }).find("another search: graph, not depth 1"),
              std::string::npos);
    EXPECT_NE(refusal([](auto& request) { request.seed = 7; }).find("another program"), std::string::npos);
    const auto of = [](const FirmwareProject& project, pipeline::VerifyRequest& request) {
        request.model = project.folder();
        request.keep.clear();
    };
    const FirmwareProject other("cortex-m4-mapped", "3,3");
    EXPECT_NE(refusal([&](auto& request) { of(other, request); }).find("another program"), std::string::npos);
    const FirmwareProject elsewhere("rv32imc-mapped", "whole");
    if (!missing_compiler("rv32imc-mapped")) {
        EXPECT_NE(refusal([&](auto& request) { of(elsewhere, request); }).find("none of these devices"),
                  std::string::npos);
    }
    std::ofstream(m_state, std::ios::app) << "x";
    EXPECT_NE(refusal([](auto&) {}).find("is damaged"), std::string::npos);
    std::ofstream(m_state) << "a letter";
    EXPECT_NE(refusal([](auto&) {}).find("is not the state of an interrupted"), std::string::npos);
}

}  // namespace
}  // namespace metamorph

#include "build/toolchain.h"

#include <gtest/gtest.h>

#include "unit/build/fake_runner.h"

namespace metamorph::build {
namespace {

TEST(Toolchain, IsFoundWithItsVersion) {
    FakeRunner runner;
    runner.install("clang-19", [](const ProcessRequest&) { return prints("19.1.7\n"); });
    const auto toolchain = find_toolchain(runner, "clang");
    ASSERT_TRUE(toolchain);
    EXPECT_EQ(toolchain->compiler, "/fake/clang-19");
    EXPECT_EQ(toolchain->version, "19.1.7");
    EXPECT_EQ(toolchain->target, Target::host);
    EXPECT_TRUE(toolchain->target_flags.empty());
}

TEST(Toolchain, AMissingOneTellsTheCommandThatInstallsIt) {
    FakeRunner runner;
    const auto toolchain = find_toolchain(runner, "arm-gcc");
    ASSERT_FALSE(toolchain);
    EXPECT_EQ(toolchain.error().code, ErrorCode::toolchain);
    EXPECT_EQ(toolchain.error().message, "'arm-none-eabi-gcc' is not installed");
    EXPECT_EQ(toolchain.error().hint,
              "apt-get install -y --no-install-recommends gcc-arm-none-eabi libnewlib-arm-none-eabi");
}

TEST(Toolchain, ACompilerThatDoesNotRunIsNotTaken) {
    FakeRunner runner;
    runner.install("gcc", [](const ProcessRequest&) { return fails(1, "cc1: cannot load libmpc.so"); });
    const auto toolchain = find_toolchain(runner, "gcc");
    ASSERT_FALSE(toolchain);
    EXPECT_EQ(toolchain.error().code, ErrorCode::toolchain);
    EXPECT_EQ(toolchain.error().where, "/fake/gcc");
}

TEST(Toolchain, AnUnknownNameIsAnOptionsError) {
    FakeRunner runner;
    const auto toolchain = find_toolchain(runner, "clagn");
    ASSERT_FALSE(toolchain);
    EXPECT_EQ(toolchain.error().code, ErrorCode::options);
    EXPECT_NE(toolchain.error().hint.find("did you mean 'clang'?"), std::string::npos);
}

TEST(Toolchain, VersionsAreReadFromAnyWording) {
    EXPECT_EQ(version_in("Debian clang version 19.1.7 (3~deb12u1)"), "19.1.7");
    EXPECT_EQ(version_in("cmake version 3.25.1"), "3.25.1");
    EXPECT_EQ(version_in("12.2.1\n"), "12.2.1");
    EXPECT_EQ(version_in("1.11.1-rc2"), "1.11.1");
    EXPECT_EQ(version_in("no version"), "");
    EXPECT_EQ(version_in(""), "");
}

TEST(Toolchain, FoldersOfHeadersAreThoseOfTheLists) {
    const std::string told =
        " /no\n#include \"...\" search starts here:\n#include <...> search starts here:\n /missing/a/../b\n"
        " /missing/c (framework directory)\nEnd of search list.\n /no\n";
    EXPECT_EQ(header_folders_in(told), (std::vector<std::filesystem::path>{"/missing/b", "/missing/c"}));
    EXPECT_TRUE(header_folders_in("").empty());
}

TEST(Toolchain, TheCommandForNothingIsNothing) {
    EXPECT_EQ(apt_command({}), "");
}

}  // namespace
}  // namespace metamorph::build

#include "build/doctor.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/build/fake_runner.h"

namespace metamorph::build {
namespace {

FakeRunner::Answer tool(const std::string& version) {
    return [version](const ProcessRequest& request) {
        const std::string& question = request.argv.at(1);
        return prints(question.starts_with("-print-file-name=") ? "/usr/lib/" + question.substr(17) + "\n"
                                                                : version + "\n");
    };
}

void install_core(FakeRunner& runner) {
    runner.install("clang-19", tool("19.1.7"));
    runner.install("cmake", tool("cmake version 3.25.1"));
    runner.install("ninja", tool("1.11.1"));
}

TEST(Doctor, WithNothingInstalledEverythingIsMissing) {
    FakeRunner runner;
    const Diagnosis diagnosis = diagnose(runner);
    EXPECT_FALSE(diagnosis.core_complete());
    for (const ToolReport& report : diagnosis.tools) {
        EXPECT_FALSE(report.found) << report.name;
    }
    EXPECT_EQ(diagnosis.missing_packages().front(), "clang-19");
    EXPECT_NE(diagnosis.install().find("gcc-arm-none-eabi libnewlib-arm-none-eabi"), std::string::npos);
}

TEST(Doctor, TheCoreSufficesForRun) {
    FakeRunner runner;
    install_core(runner);
    const Diagnosis diagnosis = diagnose(runner);
    EXPECT_TRUE(diagnosis.core_complete());
    EXPECT_EQ(diagnosis.install(),
              "apt-get install -y --no-install-recommends gcc gcc-arm-none-eabi libnewlib-arm-none-eabi "
              "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf lld-19 gdb-multiarch");
    EXPECT_NE(print(diagnosis, false).find("metamorph run has all it needs"), std::string::npos);
}

TEST(Doctor, ACompilerWithoutItsLibraryIsFoundOut) {
    FakeRunner runner;
    install_core(runner);
    runner.install("gcc", tool("12.2.0"));
    runner.install("riscv64-unknown-elf-gcc", tool("12.2.0"));
    runner.install("arm-none-eabi-gcc", [](const ProcessRequest& request) {
        return prints(request.argv.at(1) == "-print-file-name=libc.a" ? "libc.a\n" : "12.2.1\n");
    });
    EXPECT_EQ(diagnose(runner).missing_packages(),
              (std::vector<std::string>{"libnewlib-arm-none-eabi", "lld-19", "gdb-multiarch"}));
}

TEST(Doctor, AToolThatCrashesIsMissing) {
    FakeRunner runner;
    install_core(runner);
    runner.install("ninja", [](const ProcessRequest&) { return fails(127, "no libstdc++"); });
    const Diagnosis diagnosis = diagnose(runner);
    EXPECT_FALSE(diagnosis.core_complete());
    EXPECT_EQ(diagnosis.missing_packages().front(), "ninja-build");
}

TEST(Doctor, QuietShowsOnlyWhatIsMissing) {
    FakeRunner runner;
    install_core(runner);
    const std::string text = print(diagnose(runner), true);
    EXPECT_EQ(text.find("cmake"), std::string::npos) << text;
    EXPECT_NE(text.find("arm-none-eabi-gcc"), std::string::npos);
}

TEST(Doctor, JsonHasEveryToolAndTheCommand) {
    FakeRunner runner;
    install_core(runner);
    const nlohmann::json document = nlohmann::json::parse(to_json(diagnose(runner)), nullptr, false);
    ASSERT_FALSE(document.is_discarded());
    EXPECT_EQ(document["schema"], "metamorph-doctor-1");
    EXPECT_EQ(document["core_complete"], true);
    EXPECT_EQ(document["missing"].size(), 7U);
    EXPECT_TRUE(document["install"].get<std::string>().starts_with("apt-get install"));
    EXPECT_EQ(document["tools"][0]["name"], "clang-19");
    EXPECT_EQ(document["tools"][0]["version"], "19.1.7");
    EXPECT_EQ(document["tools"][0]["core"], true);
}

}  // namespace
}  // namespace metamorph::build

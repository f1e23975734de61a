#include "pipeline/device_target.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "unit/build/fake_runner.h"
#include "util/file.h"
#include "util/interrupt.h"

namespace metamorph::pipeline {
namespace {

bool has(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

class DeviceTarget : public testing::Test {
protected:
    DeviceTarget() {
        EXPECT_TRUE(write_files(m_scratch.path(), {{"gcc/include/stddef.h", ""},
                                                   {"gcc/include-fixed/limits.h", ""},
                                                   {"newlib/stdio.h", ""},
                                                   {"elsewhere/stdio.h", ""}}));
    }

    ProcessOutcome searching(const std::vector<std::string>& dirs) const {
        ProcessOutcome outcome;
        outcome.errors = " " + m_scratch.path().string() + "/elsewhere\n#include <...> search starts here:\n";
        for (const std::string& dir : dirs) {
            outcome.errors += " " + (m_scratch.path() / dir).string() + "\n";
        }
        outcome.errors += "End of search list.\n " + m_scratch.path().string() + "/elsewhere\n";
        return outcome;
    }

    const ScratchFolder m_scratch = ScratchFolder::make("metamorph-target").value();
    const app::Device m_device = app::find_device("cortex-m4-mapped").value();
    build::FakeRunner m_runner;
};

TEST_F(DeviceTarget, IsThatOfTheDevicesCompilers) {
    m_runner.install("arm-none-eabi-gcc", [this](const auto&) {
        return searching({"gcc/include", "gcc/include-fixed", "missing", "gcc/../newlib"});
    });
    const auto target = target_of(m_device, m_runner);
    ASSERT_TRUE(target) << describe(target.error());
    EXPECT_EQ(target->library_dirs,
              std::vector<std::string>{std::filesystem::canonical(m_scratch.path() / "newlib").string()});
    EXPECT_TRUE(has(target->options, "--target=thumbv7em-none-eabihf"));
    EXPECT_TRUE(has(target->options, "-fshort-enums"));
    EXPECT_TRUE(has(m_runner.requests().front().argv, "-mfloat-abi=hard"));
}

TEST_F(DeviceTarget, FollowsFromGccAlone) {
    m_runner.install("arm-none-eabi-gcc", [this](const auto&) { return searching({"newlib"}); });
    app::Device device = m_device;
    std::erase_if(device.compilers, [](const app::Compiler& compiler) { return compiler.name != "gcc"; });
    const auto hard = target_of(device, m_runner);
    ASSERT_TRUE(hard) << describe(hard.error());
    EXPECT_EQ(hard->triple, "thumbv7em-none-eabihf");
    EXPECT_TRUE(has(hard->options, "-mcpu=cortex-m4"));
    device.compilers.front().flags = {"-mcpu=cortex-m4", "-mthumb", "--specs=nano.specs", "-fsigned-char"};
    const auto soft = target_of(device, m_runner);
    ASSERT_TRUE(soft) << describe(soft.error());
    EXPECT_EQ(soft->triple, "thumbv7em-none-eabi");
    EXPECT_TRUE(has(soft->options, "-fsigned-char"));
    EXPECT_FALSE(has(soft->options, "--specs=nano.specs"));
}

TEST_F(DeviceTarget, IsNotGuessed) {
    const auto missing = target_of(m_device, m_runner);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::toolchain);
    EXPECT_NE(missing.error().message.find("'arm-none-eabi-gcc' is not installed"), std::string::npos);
    EXPECT_NE(missing.error().hint.find("libnewlib-arm-none-eabi"), std::string::npos);
    m_runner.install("arm-none-eabi-gcc", [this](const auto&) { return searching({"gcc/include"}); });
    const auto bare = target_of(m_device, m_runner);
    ASSERT_FALSE(bare);
    EXPECT_NE(bare.error().message.find("it has no C library"), std::string::npos) << bare.error().message;
    m_runner.install("arm-none-eabi-gcc", [](const auto&) { return build::fails(1, "no"); });
    const auto failing = target_of(m_device, m_runner);
    ASSERT_FALSE(failing);
    EXPECT_NE(failing.error().message.find("exit status 1"), std::string::npos) << failing.error().message;
}

}  // namespace
}  // namespace metamorph::pipeline

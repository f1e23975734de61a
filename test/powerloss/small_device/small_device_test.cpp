// Firmware for a device whose SRAM holds no activations: they are scratch in mapped NVM, and the emulator finds that as
// safe as SRAM.
#include <cstdlib>

#include <gtest/gtest.h>

#include "pipeline/verify.h"
#include "util/process.h"

namespace metamorph {
namespace {

struct Case {
    const char* device;
    const char* split;
    bool merges;  // the whole graph, or cuts that are really run
};

class SmallDevice : public testing::TestWithParam<Case> {};

TEST_P(SmallDevice, ScratchInNvmSurvives) {
    ASSERT_EQ(::setenv("METAMORPH_EMU", METAMORPH_EMU_PROGRAM, 1), 0);
    app::Device device = app::find_device(GetParam().device).value();
    if (!find_program(device.compiler("gcc")->program)) {
        GTEST_SKIP() << device.compiler("gcc")->program << " is not installed";
    }
    for (app::Memory& memory : device.memories) {
        if (memory.kind == app::MemoryKind::sram) {
            memory.bytes = device.stack_bytes + 512;
        }
    }
    pipeline::VerifyRequest request;
    request.model = std::filesystem::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite";
    request.devices = {device};
    request.toolchain = "gcc";
    request.split = tasks::parse_split(GetParam().split).value();
    request.inferences = 2;
    request.merges = GetParam().merges;
    request.cuts_max = GetParam().merges ? 0 : 200;
    request.depth = GetParam().merges ? 0 : 1;
    request.explain = true;
    const auto result = pipeline::verify(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    ASSERT_EQ(result->devices.size(), 1U);
    const report::VerifiedDevice& verified = result->devices.front();
    EXPECT_NE(result->explanation.find("NVM scratch"), std::string::npos) << result->explanation;
    EXPECT_TRUE(verified.is_equal_uninterrupted);
    EXPECT_TRUE(verified.failures.empty()) << report::text_of(*result);
    EXPECT_TRUE(result->is_right()) << report::text_of(*result);
    EXPECT_GT(verified.woven.nvm_bytes_written, 2U * 2000U) << "activations are written to NVM, too";
    if (GetParam().merges) {
        EXPECT_GT(verified.states, 500U);
    } else {
        EXPECT_GE(verified.cuts, 200U);
    }
}

INSTANTIATE_TEST_SUITE_P(All, SmallDevice,
                         testing::Values(Case{"cortex-m4-mapped", "whole", true}, Case{"rv32imc-mapped", "3,3", true},
                                         Case{"rv32imc-mapped", "whole", false}),
                         [](const auto& chosen) {
                             return std::string(chosen.param.device).substr(0, 4) +
                                    (chosen.param.merges ? "_graph" : "_one_by_one");
                         });

}  // namespace
}  // namespace metamorph

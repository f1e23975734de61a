// A project for a device as its user has it: built by CMake with the device's toolchain file and nothing of ours,
// without a warning, the same bytes in whatever folder, within what was reckoned before it was built.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/device.h"
#include "pipeline/pipeline.h"
#include "pipeline/project_folder.h"
#include "util/interrupt.h"
#include "util/process.h"
#include "weave/device_fit.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

const fs::path k_model = fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite";

std::string read_all(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Result<pipeline::Woven> weave_for(const app::Device& device, const std::string& split,
                                  const fs::path& model = k_model) {
    pipeline::WeaveRequest request;
    request.model = model;
    request.split = tasks::parse_split(split).value();
    request.mode = device.attachment == app::Attachment::mapped ? tasks::NvmMode::mapped : tasks::NvmMode::bus;
    request.device = &device;
    return pipeline::weave_model(request);
}

// What is not installed, of what building with `compiler` needs; empty: nothing.
std::string missing_for(const app::Device& device, const std::string& compiler) {
    std::vector<std::string> programs{device.compiler(compiler)->program};
    if (compiler == "clang") {
        programs.emplace_back("ld.lld-19");
    }
    for (const std::string& program : programs) {
        if (!find_program(program)) {
            return program;
        }
    }
    return "";
}

// Both programs of a project, with warnings as errors in every file that goes into firmware.
ProcessOutcome build(const fs::path& folder, const std::string& compiler, const std::string& option = "-Wno-dev") {
    ProcessOutcome last;
    for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
             {"cmake", "-B", "build", option, "-DCMAKE_TOOLCHAIN_FILE=device/" + compiler + ".cmake"},
             {"cmake", "--build", "build", "-j", "2"}}) {
        ProcessRequest request;
        request.argv = argv;
        request.directory = folder;
        request.environment = {{"CFLAGS", "-Wall -Wextra -Wpedantic -Wconversion -Werror"}};
        const auto outcome = run_process(request);
        EXPECT_TRUE(outcome.has_value()) << describe(outcome.error());
        if (!outcome || !outcome->succeeded()) {
            return outcome ? *outcome : ProcessOutcome{};
        }
        last = *outcome;
    }
    return last;
}

// "digits_int8_app: flash 9468 B, SRAM 1104 B without stack, …" of the build's report.
struct Sizes {
    std::int64_t flash = -1, sram = -1, nvm = -1;
};
Sizes sizes_of(const ProcessOutcome& outcome, const std::string& program) {
    const std::string text = outcome.output + outcome.errors;
    std::smatch match;
    if (!std::regex_search(
            text, match,
            std::regex(program + ": flash ([0-9]+) B, SRAM ([0-9]+) B without stack, mapped NVM ([0-9]+) B"))) {
        return {};
    }
    return {std::stoll(match[1]), std::stoll(match[2]), std::stoll(match[3])};
}

using DeviceAndCompiler = std::tuple<const char*, const char*>;
std::string name_of(const testing::TestParamInfo<DeviceAndCompiler>& info) {
    std::string name = fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class Firmware : public testing::TestWithParam<DeviceAndCompiler> {
protected:
    void SetUp() override {
        auto device = app::find_device(std::get<0>(GetParam()));
        ASSERT_TRUE(device.has_value()) << describe(device.error());
        m_device = *device;
        m_compiler = std::get<1>(GetParam());
        if (const std::string missing = missing_for(m_device, m_compiler); !missing.empty()) {
            GTEST_SKIP() << missing << " is not installed";
        }
    }

    app::Device m_device;
    std::string m_compiler;
};

TEST_P(Firmware, BuildsWithoutAWarningAndGivesTheSameBytesInAnyFolder) {
    const auto woven = weave_for(m_device, "3,3");
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    const auto scratch = ScratchFolder::make("metamorph-firmware").value();
    std::vector<std::string> programs;
    for (const char* name : {"here", "a longer path/with a blank"}) {
        const fs::path folder = scratch.path() / name;
        ASSERT_TRUE(pipeline::write_project(folder, woven->project.files));
        const ProcessOutcome outcome = build(folder, m_compiler);
        ASSERT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
        for (const std::string& target : {woven->project.app_target, woven->project.plain_target}) {
            programs.push_back(read_all(folder / "build" / target));
            EXPECT_EQ(programs.back().substr(0, 4),
                      "\x7f"
                      "ELF");
            EXPECT_EQ(programs.back().find(scratch.path().string()), std::string::npos);
        }
        const Sizes app = sizes_of(outcome, woven->project.app_target);
        if (app.sram < 0) {
            continue;  // the toolchain's size program is not there
        }
        std::int64_t images = 0;
        for (const auto& [object, bytes] : woven->plan->sram_bytes) {
            images += bytes;
        }
        EXPECT_GE(app.sram, images);
        EXPECT_LE(app.sram, images + weave::k_runtime_sram_bytes) << "more RAM than was reckoned with";
    }
    EXPECT_TRUE(programs.at(0) == programs.at(2)) << "the application depends on the folder it is built in";
    EXPECT_TRUE(programs.at(1) == programs.at(3)) << "the plain program depends on the folder it is built in";
}

INSTANTIATE_TEST_SUITE_P(Devices, Firmware,
                         testing::Combine(testing::Values("cortex-m4-mapped", "cortex-m4-spi", "rv32imc-mapped",
                                                          "rv32imc-spi"),
                                          testing::Values("gcc", "clang")),
                         name_of);

class FirmwareOnABus : public Firmware {};

// For QEMU, which has no SPI controller.
TEST_P(FirmwareOnABus, BuildsWithTheModelOfTheChip) {
    const auto woven = weave_for(m_device, "layer");
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    const auto scratch = ScratchFolder::make("metamorph-chip").value();
    ASSERT_TRUE(pipeline::write_project(scratch.path(), woven->project.files));
    const ProcessOutcome outcome = build(scratch.path(), m_compiler, "-DMM_BOARD_SPI_MODEL=ON");
    ASSERT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
    const std::string program = read_all(scratch.path() / "build" / woven->project.app_target);
    EXPECT_NE(program.find("mm_board_fram"), std::string::npos) << "its symbols have no model";
}

INSTANTIATE_TEST_SUITE_P(Devices, FirmwareOnABus,
                         testing::Combine(testing::Values("cortex-m4-spi", "rv32imc-spi"),
                                          testing::Values("gcc", "clang")),
                         name_of);

class SlicedFirmware : public Firmware {};

TEST_P(SlicedFirmware, BuildsWithoutAWarning) {
    pipeline::WeaveRequest request;
    request.model = k_model;
    request.split = tasks::parse_split("layer").value();
    request.mode = m_device.spi ? tasks::NvmMode::bus : tasks::NvmMode::mapped;
    request.device = &m_device;
    request.slices = {tasks::parse_slice("auto:256B").value()};
    const auto woven = pipeline::weave_model(request);
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    EXPECT_GT(woven->plan->tasks.size(), 10U);
    const auto scratch = ScratchFolder::make("metamorph-sliced").value();
    ASSERT_TRUE(pipeline::write_project(scratch.path(), woven->project.files));
    const ProcessOutcome outcome = build(scratch.path(), m_compiler);
    ASSERT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
}

INSTANTIATE_TEST_SUITE_P(Devices, SlicedFirmware,
                         testing::Values(DeviceAndCompiler{"cortex-m4-mapped", "gcc"},
                                         DeviceAndCompiler{"rv32imc-spi", "clang"}),
                         name_of);

// The warnings are errors for the generated code, for what is woven of it, and for the runtime: one of each is spoilt.
TEST(FirmwareWarnings, OneInAnyFileEndsTheBuild) {
    const app::Device device = app::find_device("rv32imc-spi").value();
    if (const std::string missing = missing_for(device, "gcc"); !missing.empty()) {
        GTEST_SKIP() << missing << " is not installed";
    }
    const auto woven = weave_for(device, "whole");
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    for (const char* path :
         {"generated/digits_int8_softmax_06.c", "app/digits_int8_tasks.c", "runtime/src/mm_runtime.c"}) {
        const auto scratch = ScratchFolder::make("metamorph-warning").value();
        auto files = woven->project.files;
        ASSERT_TRUE(files.contains(path)) << path;
        files[path] += "\nint mm_spoilt(long long value);\nint mm_spoilt(long long value)\n{\n    return value;\n}\n";
        ASSERT_TRUE(pipeline::write_project(scratch.path(), files));
        const ProcessOutcome outcome = build(scratch.path(), "gcc");
        EXPECT_FALSE(outcome.succeeded()) << path;
        EXPECT_NE((outcome.output + outcome.errors).find("-Werror=conversion"), std::string::npos)
            << path << outcome.output << outcome.errors;
    }
}

struct ZooCase {
    const char* model;
    const char* device;
    const char* compiler;
    const char* split;
};

class PublicModel : public testing::TestWithParam<ZooCase> {};

TEST_P(PublicModel, BuildsWithoutAWarning) {
    const char* zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    const app::Device device = app::find_device(GetParam().device).value();
    if (const std::string missing = missing_for(device, GetParam().compiler); !missing.empty()) {
        GTEST_SKIP() << missing << " is not installed";
    }
    const auto woven = weave_for(device, GetParam().split, fs::path(zoo) / (std::string(GetParam().model) + ".tflite"));
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    const auto scratch = ScratchFolder::make("metamorph-public").value();
    ASSERT_TRUE(pipeline::write_project(scratch.path(), woven->project.files));
    const ProcessOutcome outcome = build(scratch.path(), GetParam().compiler);
    ASSERT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
    EXPECT_TRUE(fs::exists(scratch.path() / "build" / woven->project.app_target));
}

INSTANTIATE_TEST_SUITE_P(All, PublicModel,
                         testing::Values(ZooCase{"ad01_int8", "cortex-m4-mapped", "clang", "layer"},
                                         ZooCase{"kws_ref_model", "cortex-m4-spi", "gcc", "3,3,3,3"},
                                         ZooCase{"hello_world_int8", "rv32imc-mapped", "gcc", "layer"},
                                         ZooCase{"pretrainedResnet_quant", "rv32imc-spi", "clang", "layer"}),
                         [](const auto& chosen) { return std::string(chosen.param.model); });

class SmallDevice : public testing::TestWithParam<const char*> {
protected:
    // A device of ours with so much SRAM beyond its stack and the runtime.
    static app::Device with_sram(const std::string& name, std::int64_t bytes) {
        app::Device device = app::find_device(name).value();
        for (app::Memory& memory : device.memories) {
            if (memory.kind == app::MemoryKind::sram) {
                memory.bytes = device.stack_bytes + static_cast<std::uint64_t>(weave::k_runtime_sram_bytes + bytes);
            }
        }
        return device;
    }
};

TEST_P(SmallDevice, WhatSramCannotHoldIsInNvmAndTheProjectBuilds) {
    const app::Device device = with_sram(GetParam(), 512);
    const auto woven = weave_for(device, "whole");
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    EXPECT_NE(woven->explanation.find("NVM scratch"), std::string::npos) << woven->explanation;
    EXPECT_NE(woven->explanation.find("the device has 512 B for them"), std::string::npos) << woven->explanation;
    EXPECT_NE(woven->project.files.at("app/digits_int8_plain.c").find("static MM_NVM"), std::string::npos);
    if (const std::string missing = missing_for(device, "gcc"); !missing.empty()) {
        GTEST_SKIP() << missing << " is not installed: woven, but not built";
    }
    const auto scratch = ScratchFolder::make("metamorph-small").value();
    ASSERT_TRUE(pipeline::write_project(scratch.path(), woven->project.files));
    const ProcessOutcome outcome = build(scratch.path(), "gcc");
    ASSERT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
    const Sizes app = sizes_of(outcome, woven->project.app_target);
    if (app.sram >= 0) {
        EXPECT_LE(app.sram, 512 + weave::k_runtime_sram_bytes);
        EXPECT_EQ(app.nvm, (woven->plan->nvm_bytes + 15) / 16 * 16);
    }
}

TEST_P(SmallDevice, BehindABusItIsRefusedBeforeAnythingIsBuilt) {
    std::string name = GetParam();
    name.replace(name.find("mapped"), 6, "spi");
    const app::Device device = with_sram(name, 512);
    const auto woven = weave_for(device, "whole");
    ASSERT_FALSE(woven.has_value());
    EXPECT_EQ(woven.error().code, ErrorCode::options);
    EXPECT_EQ(woven.error().where, fmt::format("device {}, memory 'SRAM'", name));
    EXPECT_TRUE(std::regex_search(woven.error().message,
                                  std::regex("needs [0-9]+ B of SRAM and the device has [0-9]+ B: [0-9]+ B too much")))
        << woven.error().message;
}

INSTANTIATE_TEST_SUITE_P(Cores, SmallDevice, testing::Values("cortex-m4-mapped", "rv32imc-mapped"),
                         [](const auto& chosen) {
                             std::string name = chosen.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace metamorph

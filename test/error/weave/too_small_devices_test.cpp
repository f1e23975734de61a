// A network that a device has no room for: refused by weaving, with the memory, the need, what there is, and by how
// much.
#include <gtest/gtest.h>

#include "app/device.h"
#include "pipeline/pipeline.h"

namespace metamorph {
namespace {

const std::filesystem::path k_model = std::filesystem::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite";

struct TooSmall {
    const char* test;
    const char* device;
    const char* split;
    const char* from;  // of its description
    const char* to;
    const char* where;
    const char* message;  // its beginning
    const char* hint;     // part of it
};

class TooSmallDevice : public testing::TestWithParam<TooSmall> {};

TEST_P(TooSmallDevice, IsRefused) {
    const TooSmall& wanted = GetParam();
    std::string text = app::find_device(wanted.device).value().text;
    const std::size_t at = text.find(wanted.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(wanted.from).size(), wanted.to);
    const auto device = app::read_device(text, "board.toml");
    ASSERT_TRUE(device.has_value()) << describe(device.error());

    pipeline::WeaveRequest request;
    request.model = k_model;
    request.split = tasks::parse_split(wanted.split).value();
    request.mode = device->attachment == app::Attachment::mapped ? tasks::NvmMode::mapped : tasks::NvmMode::bus;
    request.device = &*device;
    const auto woven = pipeline::weave_model(request);
    ASSERT_FALSE(woven.has_value());
    EXPECT_EQ(woven.error().code, ErrorCode::options);
    EXPECT_EQ(woven.error().where, wanted.where);
    EXPECT_EQ(woven.error().message.substr(0, std::string(wanted.message).size()), wanted.message);
    EXPECT_NE(woven.error().hint.find(wanted.hint), std::string::npos) << woven.error().hint;
}

INSTANTIATE_TEST_SUITE_P(
    Memories, TooSmallDevice,
    testing::Values(
        TooSmall{"SramBehindABus", "cortex-m4-spi", "layer", "bytes = 0x4_0000", "bytes = 0x2800",
                 "device cortex-m4-spi, memory 'SRAM'",
                 "the application needs 10832 B of SRAM and the device has 10240 B: 592 B too much (8192 B the stack "
                 "that the device reserves, 2304 B the image of 'arena', 256 B the runtime, ",
                 "the largest value has 1280 B"},
        TooSmall{"StackAlone", "cortex-m4-mapped", "layer", "bytes = 0x4_0000", "bytes = 0x2000",
                 "device cortex-m4-mapped, memory 'SRAM'",
                 "the application needs 8448 B of SRAM and the device has 8192 B: 256 B too much (8192 B the stack "
                 "that the device reserves, 256 B the runtime)",
                 "what is left cannot live in non-volatile memory"},
        TooSmall{"NvmBehindABus", "rv32imc-spi", "layer", "bytes = 0x8_0000", "bytes = 0x400",
                 "device rv32imc-spi, memory 'FRAM'",
                 "the application needs 2432 B of non-volatile memory and the device has 1024 B: 1408 B too much",
                 "fewer, larger tasks"},
        TooSmall{
            "Flash", "rv32imc-mapped", "whole", "bytes = 0x10_0000", "bytes = 0x800",
            "device rv32imc-mapped, memory 'flash'",
            "the network, by its constants alone, needs 5340 B of flash and the device has 2048 B: 3292 B too much",
            "more flash"}),
    [](const auto& wanted) { return std::string(wanted.param.test); });

}  // namespace
}  // namespace metamorph

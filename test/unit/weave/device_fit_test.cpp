// What a device has no room for is refused with the memory, the need, what there is, and by how much.
#include "weave/device_fit.h"

#include <gtest/gtest.h>

#include "unit/tasks/sample_model.h"

namespace metamorph::weave {
namespace {

using tasks::NvmMode;
using tasks::SampleModel;

// A device of ours with other sizes. The first 1 KiB of SRAM is the stack's.
app::Device device(const std::string& name, std::uint64_t sram_bytes, std::uint64_t nvm_bytes = 1 << 16,
                   std::uint64_t flash_bytes = 1 << 16) {
    app::Device device = app::find_device(name).value();
    for (app::Memory& memory : device.memories) {
        memory.bytes = memory.kind == app::MemoryKind::sram  ? sram_bytes
                       : memory.kind == app::MemoryKind::nvm ? nvm_bytes
                                                             : flash_bytes;
    }
    device.stack_bytes = 1024;
    return device;
}

Status check(const tasks::Chain& chain, const app::Device& device) {
    const NvmMode mode = device.attachment == app::Attachment::mapped ? NvmMode::mapped : NvmMode::bus;
    const tasks::TaskPlan plan = tasks::plan_tasks(chain, mode, sram_for_images(chain, device)).value();
    return check_fits(chain, plan, device);
}

void expect_refused(const Status& status, const std::string& where, const std::string& message) {
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::options);
    EXPECT_EQ(status.error().where, where);
    EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
    EXPECT_NE(status.error().hint.find("metamorph devices"), std::string::npos) << status.error().hint;
}

constexpr std::uint64_t k_beside = 1024 + static_cast<std::uint64_t>(k_runtime_sram_bytes);  // stack and runtime

TEST(DeviceFit, WhatFitsExactlyIsAccepted) {
    SampleModel m = tasks::reusing();
    const tasks::Chain chain = m.chain({1, 2, 1});
    // The plain program has all buffers in SRAM: 16 + 16 (4 bytes of output, rounded up) + 96.
    EXPECT_TRUE(check(chain, device("cortex-m4-spi", k_beside + 128)).has_value());
    EXPECT_TRUE(check(chain, device("cortex-m4-mapped", k_beside)).has_value()) << "all of it can live in NVM";
}

TEST(DeviceFit, SramBehindABus) {
    SampleModel m = tasks::reusing();
    const Status status = check(m.chain({1, 2, 1}), device("cortex-m4-spi", k_beside + 112));
    expect_refused(status, "device cortex-m4-spi, memory 'SRAM'",
                   "needs 1408 B of SRAM and the device has 1392 B: 16 B too much");
    EXPECT_NE(status.error().message.find("1024 B the stack that the device reserves"), std::string::npos);
    EXPECT_NE(status.error().message.find("96 B the image of 'arena'"), std::string::npos);
    EXPECT_NE(status.error().hint.find("the largest value has 64 B"), std::string::npos) << status.error().hint;
}

TEST(DeviceFit, SramOfVariables) {
    SampleModel m(16, 4, 96);
    const int state = m.add_variable("state", 4000);
    m.step("f0", {{SampleModel::k_in, 0, 16}, {state, 0, 4000}}, {{SampleModel::k_out, 0, 4}, {state, 0, 4000}});
    expect_refused(check(m.chain({1}), device("rv32imc-mapped", 4096)), "device rv32imc-mapped, memory 'SRAM'",
                   "4000 B variables of the generated code");
}

TEST(DeviceFit, Nvm) {
    SampleModel m = tasks::reusing();
    const tasks::Chain chain = m.chain({1, 1, 1, 1});
    for (const char* name : {"rv32imc-mapped", "rv32imc-spi"}) {
        const app::Device large = device(name, 1 << 16);
        const NvmMode mode = large.attachment == app::Attachment::mapped ? NvmMode::mapped : NvmMode::bus;
        const std::int64_t need = (tasks::plan_tasks(chain, mode)->nvm_bytes + 15) / 16 * 16;
        EXPECT_TRUE(check(chain, device(name, 1 << 16, static_cast<std::uint64_t>(need))).has_value());
        expect_refused(
            check(chain, device(name, 1 << 16, static_cast<std::uint64_t>(need - 16))),
            fmt::format("device {}, memory 'FRAM'", name),
            fmt::format("needs {} B of non-volatile memory and the device has {} B: 16 B too much", need, need - 16));
    }
}

TEST(DeviceFit, NvmThatScratchFills) {
    SampleModel m = tasks::reusing();
    const Status status = check(m.chain({4}), device("rv32imc-mapped", k_beside, 160));
    expect_refused(status, "device rv32imc-mapped, memory 'FRAM'", "B too much");
    EXPECT_NE(status.error().hint.find("SRAM is too small as well"), std::string::npos) << status.error().hint;
}

TEST(DeviceFit, FlashOfConstants) {
    SampleModel m = tasks::reusing();
    cfront::Variable weights{"weights", "const int8_t", {"net.c", 3, 1}, 70000, true, false,
                             true,      false,          false,           true,  ""};
    cfront::Variable unused = weights;
    unused.name = "unused";
    m.model().variables = {weights, unused};
    cfront::Function layer;
    layer.name = "f1";
    layer.reads_globals = {"weights"};
    m.model().functions.push_back(layer);
    const tasks::Chain chain = m.chain({4});
    EXPECT_TRUE(check(chain, device("cortex-m4-spi", 1 << 16, 1 << 16, 70000)).has_value());
    expect_refused(check(chain, device("cortex-m4-spi", 1 << 16, 1 << 16, 69984)),
                   "device cortex-m4-spi, memory 'flash'",
                   "needs 70000 B of flash and the device has 69984 B: 16 B too much");
}

TEST(DeviceFit, IsPrinted) {
    SampleModel m = tasks::reusing();
    m.model().variables = {{"lut", "const int8_t", {"net.c", 3, 1}, 256, true, false, true, false, false, true, ""}};
    cfront::Function layer;
    layer.name = "f1";
    layer.reads_globals = {"lut"};
    m.model().functions.push_back(layer);
    const tasks::Chain chain = m.chain({4});
    const app::Device board = device("cortex-m4-spi", 1 << 16);
    EXPECT_EQ(print_fit(chain, tasks::plan_tasks(chain, NvmMode::bus).value(), board),
              "Memory of cortex-m4-spi\n"
              "  flash      256 B of    65536 B: 256 B weights and tables; code comes on top\n"
              "  sram      1408 B of    65536 B: 1024 B the stack that the device reserves, 256 B the runtime, 96 B "
              "the image "
              "of 'arena', 16 B the image of 'in', 16 B the image of 'out'\n"
              "  nvm        160 B of    65536 B: 128 B the runtime's records, 32 B homes of variables\n");
}

TEST(DeviceFit, ThePlainProgramPutsItsLargestBufferIntoNvm) {
    SampleModel m = tasks::reusing();
    const tasks::Chain chain = m.chain({4});
    EXPECT_EQ(plain_buffers_in_nvm(chain, device("rv32imc-mapped", k_beside + 128)),
              (std::vector<bool>{false, false, false}));
    EXPECT_EQ(plain_buffers_in_nvm(chain, device("rv32imc-mapped", k_beside + 64)),
              (std::vector<bool>{false, false, true}));
    EXPECT_EQ(plain_buffers_in_nvm(chain, device("rv32imc-spi", k_beside)), (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace metamorph::weave

// The setup of the accelerator is read off statements; what is not understood is refused.
#include "parts/accelerator_setup.h"

#include <gtest/gtest.h>

namespace metamorph::parts {
namespace {

using Arrays = std::map<std::string, std::vector<std::uint32_t>>;
using Words = std::map<std::uint32_t, std::uint32_t>;

const char* const k_kernel_loop =
    "while ((addr = (volatile uint32_t *) *ptr++) != 0) { *((volatile uint8_t *) ((uint32_t) addr | 1)) = 0x01; "
    "len = *ptr++; while (len-- > 0) *addr++ = *ptr++; }";

std::vector<Statement> lines(const std::vector<std::string>& texts) {
    std::vector<Statement> statements;
    for (const std::string& text : texts) {
        statements.push_back({text, static_cast<unsigned>(statements.size()) + 1});
    }
    return statements;
}

TEST(AcceleratorSetup, TheLastValueCounts) {
    const Arrays arrays{{"bias_0", {3, 4}}, {"kernels", {0x50180010, 1, 0xaabbccdd, 0}}, {"kernels_4", {5, 6}}};
    AcceleratorSetup setup(arrays);
    ASSERT_TRUE(
        setup.apply(lines({"*((volatile uint32_t *) 0x50100000) = 0x00100008",
                           "*((volatile uint32_t *) 0x50100000) |= 1", "*((volatile uint32_t *) 0x50100000) &= ~8",
                           "*((volatile uint32_t *) 0x50001000) = 0x00000000", "cnn_time = 0", "return CNN_OK"}),
                    "cnn.c"));
    ASSERT_TRUE(setup.apply(lines({"memcpy_8to32((uint32_t *) 0x50108000, bias_0, sizeof(uint8_t) * 2)"}), "cnn.c"));
    ASSERT_TRUE(setup.apply(
        lines({"uint32_t len", "volatile uint32_t *addr", "const uint32_t *ptr = kernels", k_kernel_loop}), "cnn.c"));
    ASSERT_TRUE(setup.apply(
        lines({"*((volatile uint8_t *) 0x50190001) = 0x01", "memcpy32((uint32_t *) 0x50190004, kernels_4, 2)"}),
        "cnn.c"));
    const Words expected{{0x50001000, 0},          {0x50100000, 0x00100001}, {0x50108000, 3}, {0x50108004, 4},
                         {0x50180010, 0xaabbccdd}, {0x50190000, 0x100},      {0x50190004, 5}, {0x50190008, 6}};
    EXPECT_EQ(setup.words(), expected);
}

TEST(AcceleratorSetup, TheSumTellsSetupsApart) {
    const Arrays none;
    AcceleratorSetup one(none), other(none), zero(none);
    ASSERT_TRUE(one.apply(lines({"*((volatile uint32_t *) 0x50100010) = 0x1"}), "cnn.c"));
    ASSERT_TRUE(other.apply(lines({"*((volatile uint32_t *) 0x50100014) = 0x1"}), "cnn.c"));
    ASSERT_TRUE(zero.apply(lines({"*((volatile uint32_t *) 0x50100010) = 0x0"}), "cnn.c"));
    EXPECT_NE(one.sum(), other.sum());
    EXPECT_EQ(zero.sum(), 0U);  // the same as a register that nobody wrote
}

class NotUnderstood : public testing::TestWithParam<const char*> {};

TEST_P(NotUnderstood, IsRefusedWithItsLine) {
    const Arrays arrays{{"short_one", {1}}, {"open_end", {0x50180000, 1, 7}}};
    AcceleratorSetup setup(arrays);
    const Status done =
        setup.apply(lines({"return CNN_OK", "const uint32_t *ptr = open_end", GetParam()}), "part_0/cnn.c");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::model);
    EXPECT_EQ(done.error().where, "part_0/cnn.c:3");
}

INSTANTIATE_TEST_SUITE_P(AcceleratorSetup, NotUnderstood,
                         testing::Values("*((volatile uint32_t *) 0x20000000) = 0x1",
                                         "*((volatile uint32_t *) 0x50400000) = 0x1",
                                         "*((volatile uint32_t *) 0x50100001) = 0x1",
                                         "*((volatile uint32_t *) 0x50100000) = counter",
                                         "*((volatile uint32_t *) 0x50100000) += 0x1",
                                         "while ((*((volatile uint32_t *) 0x50100000) & 1) != 0)", "surprise()",
                                         "memcpy32((uint32_t *) 0x50180000, short_one, 2)",
                                         "memcpy32((uint32_t *) 0x50180000, nowhere, 1)", k_kernel_loop));

TEST(AcceleratorSetup, CopiesAreRead) {
    const auto copied = word_copy_of("memcpy32((uint32_t *) 0x50408000, input_4, 64)");
    ASSERT_TRUE(copied);
    EXPECT_EQ(copied->address, 0x50408000U);
    EXPECT_EQ(copied->array, "input_4");
    EXPECT_EQ(copied->words, 64U);
    EXPECT_FALSE(word_copy_of("memcpy32((uint32_t *) address, input_4, 64)"));
    EXPECT_FALSE(word_copy_of("memcpy32((uint32_t *) 0x50408000, input_4, 64), f()"));
}

}  // namespace
}  // namespace metamorph::parts

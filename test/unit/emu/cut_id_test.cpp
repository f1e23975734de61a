// Ids of failures: what `--replay` takes.
#include "verify/lives.h"

#include <gtest/gtest.h>

namespace metamorph::verify {
namespace {

std::string printed(const CutList& list) {
    std::string text = list.start;
    for (const CutPoint& cut : list.cuts) {
        text += (text.empty() ? "" : "+") + cut.print();
    }
    return text;
}

TEST(CutId, OneCut) {
    const auto list = parse_cuts("17");
    ASSERT_TRUE(list.has_value());
    ASSERT_EQ(list->cuts.size(), 1U);
    EXPECT_EQ(list->cuts[0].units, 17U);
    EXPECT_EQ(list->cuts[0].mask, 0U);
    EXPECT_EQ(list->cuts[0].outputs, 0U);
    EXPECT_EQ(list->start, "");
}

TEST(CutId, EveryPart) {
    const auto list = parse_cuts("other-build+17~3+5!2+0");
    ASSERT_TRUE(list.has_value());
    EXPECT_EQ(list->start, "other-build");
    ASSERT_EQ(list->cuts.size(), 3U);
    EXPECT_EQ(list->cuts[0].units, 17U);
    EXPECT_EQ(list->cuts[0].mask, 3U);
    EXPECT_EQ(list->cuts[1].units, 5U);
    EXPECT_EQ(list->cuts[1].outputs, 2U);
    EXPECT_EQ(list->cuts[2].units, 0U);
}

TEST(CutId, OnlyAStart) {
    const auto list = parse_cuts("noise");
    ASSERT_TRUE(list.has_value());
    EXPECT_EQ(list->start, "noise");
    EXPECT_TRUE(list->cuts.empty());
}

class Printed : public testing::TestWithParam<const char*> {};

TEST_P(Printed, IsReadAgain) {
    const auto list = parse_cuts(GetParam());
    ASSERT_TRUE(list.has_value()) << describe(list.error());
    EXPECT_EQ(printed(*list), GetParam());
}

INSTANTIATE_TEST_SUITE_P(CutId, Printed,
                         testing::Values("", "0", "17", "17~1", "17~e", "17~11", "17!2", "ones+17", "noise+17~3+5!2",
                                         "18446744073709551615", "1+2+3+4"));

TEST(CutId, EveryMaskIsReadAgain) {
    for (unsigned mask = 0; mask < 16; ++mask) {
        CutPoint cut;
        cut.units = 9;
        cut.mask = mask;
        const auto list = parse_cuts(cut.print());
        ASSERT_TRUE(list.has_value()) << cut.print();
        ASSERT_EQ(list->cuts.size(), 1U) << cut.print();
        EXPECT_EQ(list->cuts[0].mask, mask) << cut.print();
    }
}

class Refused : public testing::TestWithParam<const char*> {};

TEST_P(Refused, WithWhatAnIdLooksLike) {
    const auto list = parse_cuts(GetParam());
    ASSERT_FALSE(list.has_value());
    EXPECT_EQ(list.error().code, ErrorCode::options);
    EXPECT_EQ(list.error().where, "--replay");
    EXPECT_NE(list.error().message.find(GetParam()), std::string::npos) << list.error().message;
    EXPECT_NE(list.error().hint.find("17~3+5"), std::string::npos) << list.error().hint;
}

INSTANTIATE_TEST_SUITE_P(CutId, Refused,
                         testing::Values("17+", "17++5", "+17", "noise+", "-1", "17~", "17~g", "17~13", "17!", "17!x",
                                         "17!4294967296", "17+noise", "noise+ones", "+17", "17++5", "17 ", " 17",
                                         "Noise", "17~3~1", "1x", "18446744073709551616"));

}  // namespace
}  // namespace metamorph::verify

// Known answers become the fewest copies of exactly the bytes that cross.
#include "parts/transfer_runs.h"

#include <gtest/gtest.h>

namespace metamorph::parts {
namespace {

using List = std::vector<std::uint32_t>;

TEST(KnownList, IsReadWithItsMasks) {
    const auto words =
        read_known_list({0x50400000, 0xffffffff, 2, 1, 2, 0x50408000, 0xff, 1, 7, 0}, "sampleoutput.h").value();
    const KnownWords expected{{0x50400000, {0xffffffff, 1}}, {0x50400004, {0xffffffff, 2}}, {0x50408000, {0xff, 7}}};
    EXPECT_EQ(words, expected);
}

struct WrongList {
    List list;
    const char* message;
};
class DamagedKnownList : public testing::TestWithParam<WrongList> {};

TEST_P(DamagedKnownList, IsRefused) {
    const auto words = read_known_list(GetParam().list, "part_1/sampleoutput.h");
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().code, ErrorCode::model);
    EXPECT_EQ(words.error().where, "part_1/sampleoutput.h");
    EXPECT_NE(words.error().message.find(GetParam().message), std::string::npos) << words.error().message;
}

INSTANTIATE_TEST_SUITE_P(KnownList, DamagedKnownList,
                         testing::Values(WrongList{{0x50400000, 0xffffffff, 4, 1, 2, 0}, "ends inside a run"},
                                         WrongList{{0x50400000, 0xffffffff}, "ends inside a run"},
                                         WrongList{{0x50400000, 0xf0, 1, 0, 0}, "whole bytes"},
                                         WrongList{{0x50400002, 0xff, 1, 0, 0}, "whole bytes"},
                                         WrongList{{0x50400000, 0xff, 1, 0x100, 0}, "outside its mask"},
                                         WrongList{{0x50400000, 0xff, 1, 1, 0x50400000, 0xff, 1, 1, 0}, "twice"},
                                         WrongList{{0x50400000, 0xff, 1, 1}, "no end"}, WrongList{{0, 0}, "no end"}));

TEST(Runs, WordsOfOneMaskInEvenStepsAreOne) {
    // Two passes: the first fills the words, the second half of every other one, as 70 channels do.
    KnownWords words;
    for (std::uint32_t pixel = 0; pixel < 16; ++pixel) {
        words[0x50c00000 + 8 * pixel] = {0xffffffff, pixel};
        words[0x50c00004 + 8 * pixel] = {0x0000ffff, pixel};
    }
    const std::vector<TransferRun> expected{{0x50c00004, 0x0000ffff, 16, 8}, {0x50c00000, 0xffffffff, 16, 8}};
    EXPECT_EQ(merge_runs(words), expected);
    EXPECT_EQ(bytes_of(merge_runs(words)), 16 * 6);
}

TEST(Runs, StayWithinAnInstance) {
    const KnownWords words{{0x50407ffc, {0xff, 1}}, {0x50408000, {0xff, 2}}};
    EXPECT_EQ(merge_runs(words).size(), 2U);
}

TEST(Runs, MoveEveryWordOnce) {
    KnownWords words;
    for (const std::uint32_t at : {0U, 4U, 8U, 20U, 24U, 44U, 0x8000U}) {
        words[0x50400000 + at] = {0xffffff, at};
    }
    KnownWords moved;
    for (const TransferRun& run : merge_runs(words)) {
        for (std::uint32_t i = 0; i < run.words; ++i) {
            const std::uint32_t address = run.address + i * run.step;
            EXPECT_TRUE(moved.emplace(address, words.at(address)).second) << address;
        }
    }
    EXPECT_EQ(moved, words);
}

TEST(Runs, BuffersHoldOnlyTheBytesOfMasks) {
    const KnownWords words{{0x50400000, {0xff00ff00, 0x11002200}}, {0x50400004, {0xff00ff00, 0x33004400}}};
    EXPECT_EQ(packed(words, merge_runs(words)), "\x22\x11\x44\x33");
}

TEST(Crossing, IsWhatIsStoredAndLoaded) {
    const KnownWords stored{{0x50400000, {0xffff, 0x0201}}, {0x50400004, {0xffff, 0x0403}}};
    const KnownWords loaded{{0x50400000, {0xffffffff, 0x0201}}, {0x50400008, {0xffffffff, 0}}};
    const KnownWords expected{{0x50400000, {0xffff, 0x0201}}, {0x50400008, {0, 0}}};
    EXPECT_EQ(crossing_words(stored, loaded, "part_0", "part_1").value(), expected);
}

TEST(Crossing, WhatWasNeverStoredIsNotLoaded) {
    const auto words =
        crossing_words({{0x50400000, {0xff, 1}}}, {{0x50400000, {0xffffffff, 0x201}}}, "part_0", "part_1");
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().message.find("of which part_0 leaves only"), std::string::npos) << words.error().message;
}

TEST(Crossing, WhatWasStoredIsWhatIsLoaded) {
    const auto words = crossing_words({{0x50400000, {0xff, 1}}}, {{0x50400000, {0xffffffff, 2}}}, "part_0", "part_1");
    ASSERT_FALSE(words);
    EXPECT_NE(words.error().message.find("where part_0 leaves 0x00000001"), std::string::npos) << words.error().message;
    EXPECT_FALSE(words.error().hint.empty());
}

}  // namespace
}  // namespace metamorph::parts

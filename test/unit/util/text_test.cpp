// util/text: distances, suggestions, identifiers, printing.
#include "util/text.h"

#include <gtest/gtest.h>

namespace metamorph {
namespace {

using Names = std::vector<std::string>;

TEST(EditDistance, CountsSlips) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("weave", "weave"), 0U);
    EXPECT_EQ(edit_distance("weave", "waeve"), 1U);  // neighbours swapped
    EXPECT_EQ(edit_distance("weave", "wave"), 1U);
    EXPECT_EQ(edit_distance("weave", "weaver"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, OrdersByDistanceAndLeavesOutTheFar) {
    const Names commands = {"inspect", "generate", "weave", "run", "doctor"};
    EXPECT_EQ(nearest("genrate", commands), Names{"generate"});
    EXPECT_EQ(nearest("WEAVE", commands), Names{"weave"});
    EXPECT_EQ(nearest("rnu", commands), Names{"run"});
    EXPECT_EQ(nearest("quux", commands), Names{});
    EXPECT_EQ(nearest("aaaa", Names{"aaab", "aaaa", "aaac", "aaad"}), (Names{"aaaa", "aaab", "aaac"}));
    EXPECT_EQ(nearest(std::string(1000, 'x'), Names{std::string(1000, 'x')}), Names{});
}

TEST(DidYouMean, Words) {
    EXPECT_EQ(did_you_mean("genrate", {"generate", "run"}), "did you mean 'generate'?");
    EXPECT_EQ(did_you_mean("tak", {"task", "tax"}), "did you mean 'task' or 'tax'?");
    EXPECT_EQ(did_you_mean("zzz", {"generate"}), "");
}

TEST(CIdentifier, KeepsLettersAndDigits) {
    EXPECT_EQ(c_identifier("kws_ref_model"), "kws_ref_model");
    EXPECT_EQ(c_identifier("model/conv2d/Conv2D;bias:0"), "model_conv2d_Conv2D_bias_0");
    EXPECT_EQ(c_identifier("//a--b//"), "a_b");
    EXPECT_EQ(c_identifier("__hidden"), "hidden");
    EXPECT_EQ(c_identifier("3x3"), "n3x3");
    EXPECT_EQ(c_identifier("int"), "int_");
    EXPECT_EQ(c_identifier("class"), "class_");
    EXPECT_EQ(c_identifier("\xc3\xa9"), "unnamed");
    EXPECT_EQ(c_identifier("", "model"), "model");
}

TEST(Printable, HidesAndCuts) {
    EXPECT_EQ(printable("a b~"), "a b~");
    EXPECT_EQ(printable("a\nb\x1b[0m\xff"), "a?b?[0m?");
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("abc", 3), "abc");
    EXPECT_EQ(printable("é→😀"), "é→😀");
    EXPECT_EQ(printable("é→😀", 5), "é→...") << "never half a character";
    EXPECT_EQ(printable("\xC3(\xC0\xAF\xE2\x86"), "?(????") << "no UTF-8, longer than needed, cut off";
    EXPECT_EQ(printable("a\u202Eb\u200Bc\u0085d"), "a???b???c??d") << "what turns text around, or cannot be seen";
    EXPECT_EQ(printable("\xED\xA0\x80"), "???") << "a surrogate";
}

}  // namespace
}  // namespace metamorph

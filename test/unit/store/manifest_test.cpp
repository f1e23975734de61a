#include "store/manifest.h"

#include <gtest/gtest.h>

namespace metamorph::store {
namespace {

Manifest sample() {
    Manifest manifest;
    manifest.add("library", "kernels");
    manifest.add("flag", "-O2");
    manifest.add("flag", "-g");
    manifest.add("source.a b=c.c", "line\nfeed \\ and = sign");
    return manifest;
}

TEST(Manifest, TextIsReadableAndReadsBack) {
    EXPECT_EQ(sample().text(),
              "library = kernels\nflag = -O2\nflag = -g\n"
              "source.a\\x20b\\x3dc.c = line\\x0afeed \\x5c and = sign\n");
    const auto again = Manifest::parse(sample().text(), "m");
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, sample());
    EXPECT_EQ(again->key(), sample().key());
    EXPECT_EQ(sample().key().size(), 64U);
}

TEST(Manifest, EveryChangeChangesTheKey) {
    const std::string key = sample().key();
    Manifest other_value, other_order, more = sample();
    other_value.add("library", "kernels ");
    other_order.add("flag", "-g");
    other_order.add("flag", "-O2");
    more.add("flag", "");
    Manifest order;
    order.add("flag", "-O2");
    order.add("flag", "-g");
    EXPECT_NE(more.key(), key);
    EXPECT_NE(other_value.key(), key);
    EXPECT_NE(order.key(), other_order.key());
    // A field cannot pretend to be two.
    Manifest one, two;
    one.add("a", "b\nc = d");
    two.add("a", "b");
    two.add("c", "d");
    EXPECT_NE(one.key(), two.key());
}

TEST(Manifest, WhatIsNoneIsRefusedWithItsLine) {
    for (const char* text : {"library\n", "library = a", "a = b\nc\n", "a = \\q\n", "a = \\x0\n", "a = \\xzz\n"}) {
        const auto parsed = Manifest::parse(text, "objects/m");
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, ErrorCode::system);
        EXPECT_NE(parsed.error().where.find("objects/m:"), std::string::npos);
    }
    EXPECT_EQ(Manifest::parse("a = b\nc\n", "m").error().where, "m:2");
}

TEST(Manifest, DifferencesNameFieldsAndWhatEachHasMore) {
    Manifest other;
    other.add("library", "kernels");
    other.add("flag", "-O3");
    other.add("flag", "-g");
    other.add("feature", "debug");
    const std::vector<Difference> found = differences(sample(), other);
    const std::vector<Difference> expected{{"flag", "-O2", "-O3"},
                                           {"source.a b=c.c", "line\nfeed \\ and = sign", std::nullopt},
                                           {"feature", std::nullopt, "debug"}};
    EXPECT_EQ(found, expected);
    EXPECT_TRUE(differences(sample(), sample()).empty());
    EXPECT_NE(print(found, "  ").find("  flag: -O2 → -O3\n"), std::string::npos);
    EXPECT_NE(print(found, "  ").find("  feature: (none) → debug\n"), std::string::npos);

    Manifest turned;
    turned.add("library", "kernels");
    turned.add("flag", "-g");
    turned.add("flag", "-O2");
    turned.add("source.a b=c.c", "line\nfeed \\ and = sign");
    const std::vector<Difference> order{{"flag", "(other order)", "(other order)"}};
    EXPECT_EQ(differences(sample(), turned), order);
}

}  // namespace
}  // namespace metamorph::store

// Two sessions side by side, and conditions on what may change.
#include "matrix/change.h"

#include <gtest/gtest.h>

namespace metamorph::matrix {
namespace {

RunResult run(const std::string& name, RunStatus status, double instructions) {
    RunResult result;
    result.name = name;
    result.status = status;
    result.figures["instructions"] = instructions;
    return result;
}

bool fails(const std::string& condition, double before, double after) {
    const auto parsed = parse_condition(condition);
    EXPECT_TRUE(parsed) << describe(parsed.error());
    return compare({run("a", RunStatus::right, before)}, {run("a", RunStatus::right, after)}, {"instructions"},
                   {*parsed})
        .is_failed;
}

TEST(Change, Conditions) {
    EXPECT_TRUE(fails("instructions > +2%", 100, 103));
    EXPECT_FALSE(fails("instructions > +2%", 100, 102));
    EXPECT_TRUE(fails("instructions>=2 %", 100, 102));
    EXPECT_FALSE(fails("instructions > 2%", 100, 50)) << "less is never more";
    EXPECT_TRUE(fails("instructions > 10", 100, 111));
    EXPECT_FALSE(fails("instructions > 10", 100, 110));
    EXPECT_TRUE(fails("instructions < -5%", 100, 90));
    EXPECT_TRUE(fails("instructions > 1000%", 0, 1)) << "from nothing to something";
}

TEST(Change, ConditionsThatAreNone) {
    for (const auto& [text, message] : {std::pair{"instructions", "'instructions' compares nothing"},
                                        {"> 2", "'> 2' compares nothing"},
                                        {"instructions > x", "'instructions > x' has no number behind the comparison"},
                                        {"instructions > 2%%", "'instructions > 2%%' has no number"},
                                        {"instructons > 2", "'instructons' is no column of numbers"},
                                        {"status > 2", "'status' is no column of numbers"}}) {
        const auto condition = parse_condition(text);
        ASSERT_FALSE(condition) << text;
        EXPECT_EQ(condition.error().where, "--fail-if");
        EXPECT_TRUE(condition.error().message.starts_with(message)) << condition.error().message;
    }
}

TEST(Change, WhatIsWorseBetterGoneAndNew) {
    const std::vector<RunResult> before{run("a", RunStatus::right, 100), run("b", RunStatus::diverged, 1),
                                        run("c", RunStatus::right, 5), run("d", RunStatus::right, 5)};
    const std::vector<RunResult> after{run("a", RunStatus::does_not_fit, 150), run("b", RunStatus::right, 1),
                                       run("d", RunStatus::right, 5), run("e", RunStatus::right, 5)};
    const Comparison comparison = compare(before, after, {"instructions"}, {});
    EXPECT_EQ(text_of(comparison),
              "worse: a: Right → DoesNotFit\nbetter: b: Diverged → Right\ngone: c\nnew: e\n"
              "a instructions: 100 → 150 (+50.00 %)\n");
    EXPECT_FALSE(comparison.is_failed) << "without a condition nothing is demanded";
    EXPECT_TRUE(compare(before, after, {}, {*parse_condition("code > 1")}).is_failed) << "a is worse, c is gone";
    EXPECT_EQ(text_of(compare(before, before, {"instructions"}, {})), "nothing differs\n");
}

}  // namespace
}  // namespace metamorph::matrix

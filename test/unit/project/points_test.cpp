// From axes to runs: includes, excludes, groups, and what the command line says instead.
#include "project/points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "util/interrupt.h"

namespace metamorph::project {
namespace {

Project sample() {
    Project project;
    project.file = "/p/metamorph.toml";
    project.folder = "/p";
    project.models = {{"a", {"/p/a.tflite"}, {}, {}, false, 0}, {"b", {"/p/b.tflite"}, {}, {}, false, 0}};
    project.generators = {{"native", "native", {}}};
    project.axes = {{Axis::model, {"a", "b"}},
                    {Axis::generator, {"native"}},
                    {Axis::device, {"cortex-m4-spi", "host"}},
                    {Axis::toolchain, {"gcc", "clang"}},
                    {Axis::tasks, {"whole", "layer"}}};
    return project;
}

std::vector<std::string> names(const std::vector<Point>& points) {
    std::vector<std::string> result;
    std::transform(points.begin(), points.end(), std::back_inserter(result), [](const Point& p) { return p.name(); });
    return result;
}

std::vector<Point> expanded(const Project& project, const Selection& selection = {}) {
    auto points = expand(project, selection);
    EXPECT_TRUE(points) << describe(points.error());
    return points.value_or(std::vector<Point>{});
}

TEST(Points, AreTheProductInOrderAndTheHostHasOneToolchain) {
    Project project = sample();
    project.axes[Axis::model] = {"a"};
    EXPECT_EQ(names(expanded(project)),
              (std::vector<std::string>{"a.native.cortex-m4-spi.gcc.whole", "a.native.cortex-m4-spi.gcc.layer",
                                        "a.native.cortex-m4-spi.clang.whole", "a.native.cortex-m4-spi.clang.layer",
                                        "a.native.host.clang.whole", "a.native.host.clang.layer"}));
}

TEST(Points, IncludesAddAndExcludesTellWhy) {
    Project project = sample();
    project.includes = {{{{Axis::device, {"rv32imc-spi"}}, {Axis::toolchain, {"gcc"}}, {Axis::model, {"a"}}}, ""}};
    project.excludes = {{{{Axis::model, {"b"}}, {Axis::tasks, {"whole"}}}, "known"}};
    const std::vector<Point> points = expanded(project);
    EXPECT_EQ(points.size(), 12U + 2U);
    EXPECT_EQ(points.back().name(), "a.native.rv32imc-spi.gcc.layer");
    for (const Point& point : points) {
        const bool is_out = point.at(Axis::model) == "b" && point.at(Axis::tasks) == "whole";
        EXPECT_EQ(point.left_out, is_out ? "excluded: model b; tasks whole: known" : "") << point.name();
    }
}

TEST(Points, TheCommandLineReplacesEveryAxis) {
    Selection selection;
    selection.values = {{Axis::model, {"b"}},
                        {Axis::generator, {"native"}},
                        {Axis::device, {"rv32imc-mapped"}},
                        {Axis::toolchain, {"clang"}},
                        {Axis::tasks, {"3,3"}}};
    Project project = sample();
    ASSERT_TRUE(adopt_selection(project, selection));
    EXPECT_EQ(names(expanded(project, selection)), std::vector<std::string>{"b.native.rv32imc-mapped.clang.3,3"});
}

TEST(Points, AnIncludeNeverBringsBackWhatTheCommandLineRulesOut) {
    Project project = sample();
    project.includes = {{{{Axis::device, {"rv32imc-spi"}}}, ""}};
    Selection selection;
    selection.values = {{Axis::device, {"host"}}, {Axis::model, {"a"}}};
    EXPECT_EQ(names(expanded(project, selection)),
              (std::vector<std::string>{"a.native.host.clang.whole", "a.native.host.clang.layer"}));
}

TEST(Points, AGroupIsAPart) {
    Project project = sample();
    project.groups["quick"] = {{{Axis::device, {"host"}}, {Axis::tasks, {"whole"}}}, ""};
    Selection selection;
    selection.group = "quick";
    EXPECT_EQ(names(expanded(project, selection)),
              (std::vector<std::string>{"a.native.host.clang.whole", "b.native.host.clang.whole"}));
    selection.group = "qick";
    EXPECT_EQ(expand(project, selection).error().hint, "did you mean 'quick'?");
}

TEST(Points, AModelThatIsAFileAndAFrameworkAreAdopted) {
    const auto scratch = ScratchFolder::make("metamorph-points").value();
    std::ofstream(scratch.path() / "new-net.tflite") << "x";
    Project project = sample();
    Selection selection;
    selection.values = {{Axis::model, {(scratch.path() / "new-net.tflite").string()}}, {Axis::generator, {"tflm"}}};
    ASSERT_TRUE(adopt_selection(project, selection));
    EXPECT_EQ(selection.values[Axis::model].at(0), "new_net");
    ASSERT_NE(project.model("new_net"), nullptr);
    ASSERT_NE(project.generator("tflm"), nullptr);
}

TEST(Points, WhatTheCommandLineMayNotSay) {
    struct {
        Axis axis;
        std::vector<std::string> values;
        const char *where, *message, *hint;
    } const refusals[] = {
        {Axis::model,
         {"c"},
         "--model",
         "there is no model 'c' in the project, and no such file",
         "did you mean 'a' or 'b'?"},
        {Axis::generator, {"natve"}, "--generator", "there is no generator 'natve' in the project", "'native'"},
        {Axis::device, {"hots"}, "--device", "there is no device 'hots'", "did you mean 'host'?"},
        {Axis::toolchain, {"gcc", "gcc"}, "--toolchain", "'gcc' is named twice", "once"},
        {Axis::tasks, {"x"}, "--tasks", "'x' is no split into tasks", "3,3,3"},
    };
    for (const auto& refusal : refusals) {
        Project project = sample();
        Selection selection;
        selection.values = {{refusal.axis, refusal.values}};
        const Status status = adopt_selection(project, selection);
        ASSERT_FALSE(status) << refusal.message;
        EXPECT_EQ(status.error().where, refusal.where);
        EXPECT_NE(status.error().message.find(refusal.message), std::string::npos) << status.error().message;
        EXPECT_NE(status.error().hint.find(refusal.hint), std::string::npos) << status.error().hint;
    }
}

TEST(Points, NothingLeftAndTooManyAreErrors) {
    Project project = sample();
    project.groups["none"] = {{{Axis::model, {"c"}}}, ""};
    Selection selection;
    selection.group = "none";
    EXPECT_NE(expand(project, selection).error().message.find("nothing is left"), std::string::npos);
    std::vector<std::string>& tasks = project.axes[Axis::tasks];
    for (int i = 1; i < 50'000; ++i) {
        tasks.push_back(std::to_string(i));
    }
    EXPECT_NE(expand(project, {}).error().message.find("more than 100000 points"), std::string::npos);
}

TEST(Points, TwoOfOneNameAreRefused) {
    Project project = sample();
    project.axes[Axis::device] = {"/x/board.toml", "/y/board.toml"};
    EXPECT_NE(expand(project, {}).error().message.find("two runs would be called a.native.board.gcc.whole"),
              std::string::npos);
}

}  // namespace
}  // namespace metamorph::project

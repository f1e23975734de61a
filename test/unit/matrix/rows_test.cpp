// Tables: columns, order, rows, and their forms.
#include "matrix/rows.h"

#include <gtest/gtest.h>

namespace metamorph::matrix {
namespace {

RunResult run(const std::string& name, RunStatus status, std::optional<double> instructions) {
    RunResult result;
    result.name = name;
    result.values = {"m", "native", "/x/board.toml", "gcc", name};
    result.status = status;
    if (instructions) {
        result.figures["instructions"] = *instructions;
    }
    return result;
}

std::vector<RunResult> sample() {
    return {run("b", RunStatus::right, 200), run("a", RunStatus::right, 30.5), run("c", RunStatus::build_failed, {})};
}

std::string names(const Result<Table>& table) {
    std::string text;
    for (const RunResult& result : table ? table->runs : std::vector<RunResult>{}) {
        text += result.name;
    }
    return table ? text : describe(table.error());
}

TEST(Rows, AreSortedAndWhatWasNotMeasuredComesLast) {
    EXPECT_EQ(names(make_table(sample(), {})), "bac");
    EXPECT_EQ(names(make_table(sample(), {{}, "instructions", {}})), "abc");
    EXPECT_EQ(names(make_table(sample(), {{}, "-instructions", {}})), "bac");
    EXPECT_EQ(names(make_table(sample(), {{}, "-run", {}})), "cba");
}

TEST(Rows, AreFiltered) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"status=Right"}, "ba"},      {{"status!=Right"}, "c"},    {{"instructions<200"}, "a"},
        {{"instructions<=200"}, "ba"}, {{"instructions>30"}, "ba"}, {{"instructions>=200"}, "b"},
        {{"instructions=30.5"}, "a"},  {{"instructions="}, "c"},    {{"status=Right", "run=a"}, "a"},
        {{"device=board"}, "bac"},
    };
    for (const auto& [filters, expected] : cases) {
        EXPECT_EQ(names(make_table(sample(), {{}, "", filters})), expected) << filters[0];
    }
}

TEST(Rows, WhatCannotBeAskedForIsTold) {
    struct {
        TableRequest request;
        const char *where, *message, *hint;
    } const refusals[] = {
        {{{"instructons"}, "", {}}, "--columns", "there is no column 'instructons'", "did you mean 'instructions'?"},
        {{{}, "-cycle", {}}, "--sort", "there is no column 'cycle'", "did you mean 'cycles'?"},
        {{{}, "", {"status"}}, "--filter", "'status' compares nothing", "status!=Right"},
        {{{}, "", {"status=>Right"}}, "--filter", "'status=>Right' compares nothing", ""},
        {{{}, "", {"stats=Right"}}, "--filter", "there is no column 'stats'", "did you mean"},
        {{{}, "", {"status<Right"}}, "--filter", "'status' is a text, and has no order", "= or !="},
        {{{}, "", {"cycles<x"}}, "--filter", "'x' is no number", ""},
    };
    for (const auto& refusal : refusals) {
        const auto table = make_table(sample(), refusal.request);
        ASSERT_FALSE(table) << refusal.message;
        EXPECT_EQ(table.error().where, refusal.where);
        EXPECT_EQ(table.error().message, refusal.message);
        EXPECT_NE(table.error().hint.find(refusal.hint), std::string::npos) << table.error().hint;
    }
}

TEST(Rows, Forms) {
    std::vector<RunResult> runs = sample();
    runs[2].detail = "a \"b\", | c";
    const Table table = *make_table(runs, {{"run", "device", "instructions", "detail"}, "", {}});
    EXPECT_EQ(text_of(table),
              "run  device  instructions  detail\n"
              "b    board            200\n"
              "a    board         30.500\n"
              "c    board                 a \"b\", | c\n");
    EXPECT_EQ(csv_of(table),
              "run,device,instructions,detail\r\nb,board,200,\r\na,board,30.5,\r\nc,board,,\"a \"\"b\"\", | c\"\r\n");
    EXPECT_EQ(markdown_of(table),
              "| run | device | instructions | detail |\n|---|---|---:|---|\n"
              "| b | board | 200 |  |\n| a | board | 30.500 |  |\n| c | board |  | a \"b\", \\| c |\n");
}

}  // namespace
}  // namespace metamorph::matrix

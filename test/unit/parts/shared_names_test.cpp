// Only what means the same in all parts is shared.
#include "parts/shared_names.h"

#include <gtest/gtest.h>

namespace metamorph::parts {
namespace {

PartSource part(const std::string& inner, const std::string& macro) {
    PartSource source;
    const auto add = [&](const std::string& name, const std::string& text, PartClass part_class) {
        PartFunction function;
        function.text = text;
        function.part_class = part_class;
        source.functions[name] = function;
    };
    add("outer", "int outer(void)\n{\n  cnn_time = 0;\n  return inner();\n}", PartClass::per_task);
    add("inner", "int inner(void)\n{\n  return " + inner + ";\n}", PartClass::every_task);
    add("sized", "int sized(void)\n{\n  return OUTER_SIZE;\n}", PartClass::every_task);
    add("table", "int table(void)\n{\n  return kernels[0];\n}", PartClass::per_task);
    add("main", "int main(void)\n{\n}", PartClass::program);
    source.variables["kernels"].text = "static const int kernels[] = {1};";
    source.variables["cnn_time"].text = "volatile int cnn_time;";
    source.macros = {{"OUTER_SIZE", "SIZE"}, {"SIZE", macro}};
    return source;
}

TEST(SharedNames, TheSameTextIsShared) {
    EXPECT_EQ(shared_functions({part("1", "2"), part("1", "2")}), (std::set<std::string>{"inner", "outer", "sized"}));
}

TEST(SharedNames, WhatRefersToAPartsOwnIsNot) {
    EXPECT_EQ(shared_functions({part("1", "2"), part("3", "2")}), (std::set<std::string>{"sized"}));
}

TEST(SharedNames, NorIsWhatAMacroMakesDifferent) {
    EXPECT_EQ(shared_functions({part("1", "2"), part("1", "3")}), (std::set<std::string>{"inner", "outer"}));
}

TEST(SharedNames, NothingIsSharedByOnePart) {
    EXPECT_TRUE(shared_functions({part("1", "2")}).empty());
}

TEST(SharedNames, AFunctionReachesWhatItsMacrosName) {
    PartSource source = part("1", "kernels");
    EXPECT_EQ(reached_from(source, {"sized"}), (std::set<std::string>{"kernels", "sized"}));
    EXPECT_EQ(reached_from(source, {"outer"}), (std::set<std::string>{"cnn_time", "inner", "outer"}));
}

}  // namespace
}  // namespace metamorph::parts

// C as text: words, macros and statements.
#include "parts/part_text.h"

#include <gtest/gtest.h>

namespace metamorph::parts {
namespace {

std::vector<std::string> texts(const std::vector<Statement>& statements) {
    std::vector<std::string> all;
    for (const Statement& statement : statements) {
        all.push_back(statement.text);
    }
    return all;
}

TEST(PartText, OnlyIdentifiersAreRenamed) {
    EXPECT_EQ(renamed("cnn_init(); // cnn_init\nprintf(\"cnn_init\"); cnn_init2(xcnn_init, 0xcnn_init);",
                      {{"cnn_init", "cnn_init_3"}}),
              "cnn_init_3(); // cnn_init\nprintf(\"cnn_init\"); cnn_init2(xcnn_init, 0xcnn_init);");
}

TEST(PartText, MacrosGoOverSeveralLines) {
    const auto macros =
        macros_of("#define KERNELS { \\\n  0x1, 0x2, \\\n  0x3 \\\n}\n#define CNN_OK 1 // fine\n#ifdef X\n#define Y\n");
    EXPECT_EQ(macros.at("KERNELS"), "{ 0x1, 0x2, 0x3 }");
    EXPECT_EQ(macros.at("CNN_OK"), "1");
    EXPECT_EQ(macros.at("Y"), "");
    EXPECT_EQ(macros.size(), 3U);
}

TEST(PartText, StatementsAreSplitAsTheyBelongTogether) {
    const auto statements = statements_of(
        "int f(void)\n{\n  a = 1; // one\n  while (*p != 0)\n    q();\n\n  if (x) { b(); c(); }\n  else d();\n  for (i "
        "= 0; i < 3; i++) {\n"
        "    e();\n  }\n  return CNN_OK;\n}",
        10, {});
    const std::vector<std::string> expected{"a = 1", "while (*p != 0) q()", "if (x) { b(); c(); } else d()",
                                            "for (i = 0; i < 3; i++) { e(); }", "return CNN_OK"};
    EXPECT_EQ(texts(statements), expected);
    EXPECT_EQ(statements[0].line, 12U);
    EXPECT_EQ(statements[1].line, 13U);
    EXPECT_EQ(statements[4].line, 21U);
}

TEST(PartText, ConditionsFollowTheMacros) {
    const std::string text = "{\n#ifdef T\n  a();\n#else\n  b();\n#endif\n  c();\n#pragma once\n}";
    EXPECT_EQ(texts(statements_of(text, 1, {})), (std::vector<std::string>{"b()", "c()", "#pragma once"}));
    EXPECT_EQ(texts(statements_of(text, 1, {{"T", "1"}})), (std::vector<std::string>{"a()", "c()", "#pragma once"}));
}

TEST(PartText, WordsAreNotLookedForInCommentsAndStrings) {
    EXPECT_EQ(words_of("a(b1, 0xff); /* c */ \"d\" // e\nf"), (std::set<std::string>{"a", "b1", "f"}));
}

TEST(PartText, ListsAreOfNumbers) {
    EXPECT_EQ(numbers_of("{ 0x1, 2, }", "w").value(), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_FALSE(numbers_of("{ 0x100000000 }", "w"));
    EXPECT_FALSE(numbers_of("{ 1, KERNELS }", "w"));
    EXPECT_FALSE(numbers_of("1, 2", "w"));
}

}  // namespace
}  // namespace metamorph::parts

// Static variables under names that other files can use: the edited texts, and what cannot be renamed.
#include "cfront/external_statics.h"

#include <algorithm>

#include "snippets.h"

namespace metamorph::cfront {
namespace {

// Where `what` first stands in the text of a file.
SourceLocation place_of(const std::string& file, const std::string& text, const std::string& what) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    const std::string before = text.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;
    const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1;
    return {file, line, static_cast<unsigned>(at - line_begin) + 1};
}

TEST(ExternalStatics, AVariableOfTheFileAndAllOfItsDeclarationIsRenamedWhereverItIsUsed) {
    const std::string text =
        "static int first[4], second = 1;\n"
        "#define NEXT (second + 1)\n"
        "struct s { int second; };\n"
        "static int other(struct s *s, int first) { return s->second + first; }\n"
        "void net(int *y) { struct s s = {3}; first[0] = NEXT; y[0] = first[0] + other(&s, second); second++; }\n";
    Snippets snippets;
    snippets.add("net.c", text);
    const auto external = externalise(snippets.input(), {place_of("net.c", text, "second = 1")}, "p");
    ASSERT_TRUE(external) << describe(external.error());
    EXPECT_EQ(
        edited(text, "net.c", external->edits),
        " int p_s0_first[4], p_s1_second = 1;\n"
        "#define NEXT (p_s1_second + 1)\n"
        "struct s { int second; };\n"
        "static int other(struct s *s, int first) { return s->second + first; }\n"
        "void net(int *y) { struct s s = {3}; p_s0_first[0] = NEXT; y[0] = p_s0_first[0] + other(&s, p_s1_second); "
        "p_s1_second++; }\n");
    EXPECT_TRUE(external->head.empty());
    EXPECT_TRUE(external->tail.empty());
}

TEST(ExternalStatics, AStaticLocalIsDefinedBehindTheLastLine) {
    const std::string text =
        "static int n;\n"
        "static void f(int *y) {\n"
        "    static int calls = 2,\n"
        "        *to = &n;\n"
        "    y[0] = calls++ + *to;\n"
        "}\n"
        "void net(int *y) { n++; f(y); }\n";
    Snippets snippets;
    snippets.add("net.c", text);
    const auto external =
        externalise(snippets.input(), {place_of("net.c", text, "n;"), place_of("net.c", text, "calls = 2")}, "p");
    ASSERT_TRUE(external) << describe(external.error());
    EXPECT_EQ(edited(text, "net.c", external->edits),
              " int p_s0_n;\n"
              "static void f(int *y) {\n"
              "    extern int p_s1_calls; extern int *p_s2_to;\n\n"
              "    y[0] = p_s1_calls++ + *p_s2_to;\n"
              "}\n"
              "void net(int *y) { p_s0_n++; f(y); }\n");
    EXPECT_EQ(external->tail.at("net.c"), "int p_s1_calls = 2;\nint *p_s2_to = &p_s0_n;\n");
}

TEST(ExternalStatics, EachSourceThatIncludesAHeaderKeepsOneOfItsOwn) {
    Snippets snippets;
    const std::string header =
        "static int calls;\nstatic inline void count(void) { static int all; calls++; all++; }\n";
    snippets.add("count.h", header);
    snippets.add("net.c",
                 "#include \"count.h\"\nvoid more(void);\nvoid net(int *y) { count(); more(); y[0] = calls; }\n");
    snippets.add("more.c", "#include \"count.h\"\nvoid more(void) { count(); }\n");
    const auto external = externalise(
        snippets.input(), {place_of("count.h", header, "calls;"), place_of("count.h", header, "all;")}, "p");
    ASSERT_TRUE(external) << describe(external.error());
    EXPECT_EQ(external->head.at("net.c"), "#define p_s0_calls p_s0_calls_0\n#define p_s1_all p_s1_all_0\n");
    EXPECT_EQ(external->head.at("more.c"), "#define p_s0_calls p_s0_calls_1\n#define p_s1_all p_s1_all_1\n");
    EXPECT_EQ(external->tail.at("more.c"), "int p_s1_all;\n");
}

TEST(ExternalStatics, WhatAMacroMakesUpIsRefused) {
    const auto refusal = [](const std::string& text, const std::string& name) {
        Snippets snippets;
        snippets.add("net.c", text);
        const auto external = externalise(snippets.input(), {place_of("net.c", text, name)}, "p");
        EXPECT_FALSE(external) << text;
        return external ? std::string() : external.error().where + ": " + external.error().message;
    };
    EXPECT_EQ(refusal("#define LOCAL static\nLOCAL int n;\nvoid net(int *y) { y[0] = n++; }\n", "n;"),
              "net.c:2: a macro declares it");
    EXPECT_EQ(refusal("#define N(x) n_##x\nstatic int n_1;\nvoid net(int *y) { y[0] = N(1)++; }\n", "n_1"),
              "net.c:3: a macro makes up its name, or it is declared in a header of the system");
    EXPECT_EQ(refusal("#define N n\nstatic int n;\nvoid f(int n, int *y) { y[0] = N; }\n"
                      "void net(int *y) { N++; f(1, y); }\n",
                      "n;"),
              "net.c:3: a macro uses the name for another variable, too");
    EXPECT_EQ(refusal("void net(int *y) { struct s { int a; }; static struct s n; y[0] = n.a++; }\n", "n;"),
              "net.c:1: its type is declared where only a function can name it");
}

}  // namespace
}  // namespace metamorph::cfront

// Copies of functions that do a part of their outer loop's rounds: the text, and why there can be none.
#include "cfront/loop_rounds.h"

#include "snippets.h"

namespace metamorph::cfront {
namespace {

std::vector<RoundsFunction> functions_of(const std::string& text, const std::vector<LoopOfFunction>& loops) {
    Snippets snippets;
    snippets.add("net.c", text);
    const auto functions = rounds_functions(snippets.input(), loops);
    EXPECT_TRUE(functions) << (functions ? "" : describe(functions.error()));
    return functions ? *functions : std::vector<RoundsFunction>(loops.size());
}

// Of a function whose loop's head is on line 3.
std::string why_not(const std::string& before, const std::string& loop) {
    const std::string text = "void layer(const signed char *in, signed char *out) {\n" + before + "\n" + loop +
                             "\n}\nvoid net(const signed char *in, signed char *out) { layer(in, out); }\n";
    const RoundsFunction function = functions_of(text, {{"layer", "net.c:3"}}).front();
    EXPECT_EQ(function.why_not.empty(), !function.name.empty());
    return function.why_not;
}

TEST(LoopRounds, PassesOverTheRoundsThatAreNotAskedFor) {
    const std::string text =
        "static int fill(int *to)\n"
        "{\n"
        "    int *at = to;\n"
        "    for (int i = 0; i < 8; ++i, ++at)\n"
        "        *at = i;\n"
        "    return 0;\n"
        "}\n"
        "void net(int *y) { fill(y); }\n";
    const RoundsFunction fill = functions_of(text, {{"fill", "net.c:4"}}).front();
    EXPECT_EQ(fill.why_not, "");
    EXPECT_EQ(fill.name, "fill_rounds_4");
    EXPECT_EQ(fill.prototype, "");
    EXPECT_EQ(edited(text, "net.c", {fill.edit}),
              "static int fill(int *to)\n"
              "{\n"
              "    int *at = to;\n"
              "    for (int i = 0; i < 8; ++i, ++at)\n"
              "        *at = i;\n"
              "    return 0;\n"
              "}\n"
              "#line 1\n"
              "static int fill_rounds_4(int *to, int mm_first, int mm_end)\n"
              "{\n"
              "    int *at = to;\n"
              "    { int mm_round = -1; for (int i = 0; i < 8; ++i, ++at)\n"
              "        { ++mm_round; if (mm_round >= mm_first && mm_round < mm_end) *at = i; } }\n"
              "    return 0;\n"
              "}\n"
              "#line 7\n"
              "\n"
              "void net(int *y) { fill(y); }\n");
}

TEST(LoopRounds, OfAnExternFunctionHasAPrototype) {
    const RoundsFunction fill =
        functions_of(
            "int y[4];\nvoid fill(void) { for (int i = 0; i < 4; ++i) { y[i] = 1; } }\nvoid net(void) { fill(); }\n",
            {{"fill", "net.c:2"}})
            .front();
    EXPECT_EQ(fill.why_not, "");
    EXPECT_EQ(fill.prototype, "void fill_rounds_2(int mm_first, int mm_end);");
}

TEST(LoopRounds, WhatTheBodyOnlyReadsOrOwnsIsNoMatter) {
    EXPECT_EQ(why_not("const int n = 4; int bias[2] = {1, 2}; static const int table[2] = {3, 4};",
                      "for (int i = 0; i < n; i++) { int sum = bias[i & 1]; sum += table[i & 1]; out[i] = sum; }"),
              "");
    EXPECT_EQ(why_not("int last = 0;", "for (int i = 0; i < 4; i++) { if (!in[i]) continue; out[i] = last; }"), "");
    EXPECT_EQ(why_not("", "for (int i = 0; i < 4; i++) { switch (in[i]) { case 0: out[i] = 1; break; default: ; } }"),
              "");
}

TEST(LoopRounds, ABodyThatMovesWhatOthersReadIsRefused) {
    EXPECT_EQ(why_not("int at = 0;", "for (int i = 0; i < 4; i++) {\n out[at++] = in[i]; }"),
              "the loop's body changes 'at', which is declared outside of it (net.c:4)");
    EXPECT_EQ(why_not("", "for (int i = 0; i < 4; i++) {\n *out = in[i];\n out += 1; }"),
              "the loop's body changes 'out', which is declared outside of it (net.c:5)");
    EXPECT_EQ(why_not("", "for (int i = 0; i < 8; i++) { out[i] = in[i];\n i++; }"),
              "the loop's body changes 'i', which is declared outside of it (net.c:4)");
    EXPECT_EQ(why_not("struct { int at; } state = {0};", "for (int i = 0; i < 4; i++) {\n out[i] = in[state.at++]; }"),
              "the loop's body changes 'state', which is declared outside of it (net.c:4)");
    EXPECT_EQ(why_not("int at[1] = {0};", "for (int i = 0; i < 4; i++) {\n out[i] = in[at[0]++]; }"),
              "the loop's body changes 'at', which is declared outside of it (net.c:4)");
}

TEST(LoopRounds, SoIsOneThatCouldThroughAnAddress) {
    EXPECT_EQ(why_not("int at = 0, *to = &at;", "for (int i = 0; i < 4; i++) { out[i] = in[at]; ++*to; }"),
              "the loop's body could change 'at' through the address that is taken here (net.c:2)");
    EXPECT_EQ(why_not("int at[2] = {0}; int *to = at;", "for (int i = 0; i < 4; i++) { out[i] = in[at[1]]; to[1]++; }"),
              "the loop's body could change 'at' through the address that is taken here (net.c:2)");
    EXPECT_EQ(
        why_not("const int at[2] = {0}; const int *to = at;", "for (int i = 0; i < 4; i++) { out[i] = in[to[1]]; }"),
        "");
}

TEST(LoopRounds, ABodyThatLeavesTheLoopIsRefused) {
    EXPECT_EQ(why_not("", "for (int i = 0; i < 4; i++) {\n if (!in[i]) break; out[i] = 1; }"),
              "the loop's body ends the loop early (net.c:4)");
    EXPECT_EQ(why_not("", "for (int i = 0; i < 4; i++) { out[i] = 1;\n if (!in[i]) return; }"),
              "the loop's body returns (net.c:4)");
    EXPECT_EQ(why_not("", "for (int i = 0; i < 4; i++) { out[i] = 1;\n if (!in[i]) goto end; }\nend: ;"),
              "the loop's body has a goto (net.c:4)");
}

TEST(LoopRounds, ALoopThatIsNotTheFunctionsOwnIsRefused) {
    EXPECT_EQ(why_not("int i = 0;", "while (i < 4) { out[i] = in[i]; i++; }"),
              "the loop at net.c:3 is no for loop of layer itself");
    EXPECT_EQ(why_not("", "for (int i = 0; i < 4; i++) { out[i] = 1; } for (int i = 0; i < 4; i++) { out[i] = 2; }"),
              "line net.c:3 has several loops");
    EXPECT_EQ(functions_of("void net(int *y) { *y = 1; }\n", {{"layer", "net.c:3"}}).front().why_not,
              "no source defines layer");
}

TEST(LoopRounds, AMacroBeforeTheNameIsRepeated) {
    const std::string text =
        "#define LAYER static inline\n"
        "LAYER void layer(int *y) { for (int i = 0; i < 4; i++) y[i] = 1; }\n"
        "void net(int *y) { layer(y); }\n";
    const RoundsFunction layer = functions_of(text, {{"layer", "net.c:2"}}).front();
    EXPECT_EQ(layer.why_not, "");
    EXPECT_NE(
        edited(text, "net.c", {layer.edit}).find("\nLAYER void layer_rounds_2(int *y, int mm_first, int mm_end) {"),
        std::string::npos);
}

TEST(LoopRounds, WhatAMacroWritesIsRefused) {
    const std::string text =
        "#define EACH for (int i = 0; i < 4; i++)\n"
        "void layer(int *y) {\n"
        "    EACH { y[i] = 1; }\n"
        "}\n"
        "void net(int *y) { layer(y); }\n";
    const std::string why = functions_of(text, {{"layer", "net.c:3"}}).front().why_not;
    EXPECT_EQ(why, "a macro writes parts of layer");
}

TEST(LoopRounds, OfTwoStaticFunctionsOfOneNameItIsTheOneWithTheLoop) {
    Snippets snippets;
    snippets.add("a.c", "static int layer(int y) { return y; }\nint other(int y) { return layer(y); }\n");
    snippets.add("net.c",
                 "static void layer(int *y) {\n    for (int i = 0; i < 4; i++) { y[i] = 1; }\n}\n"
                 "void net(int *y) { layer(y); }\n");
    const auto functions = rounds_functions(snippets.input(), {{"layer", "net.c:2"}});
    ASSERT_TRUE(functions) << describe(functions.error());
    EXPECT_EQ(functions->front().why_not, "");
    EXPECT_EQ(functions->front().name, "layer_rounds_2");
}

}  // namespace
}  // namespace metamorph::cfront

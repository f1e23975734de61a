// Which calls can be cut into slices along their outer loop, whoever wrote them; and why the others cannot.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

OuterLoop outer_loop_of(const std::string& text) {
    Snippets snippets;
    snippets.add("net.c", "#include <stdint.h>\n#include <string.h>\n" + text);
    snippets.input().outer_loops = OuterLoops::found;
    const Result<CodeModel> model = snippets.analyse();
    EXPECT_TRUE(model) << (model ? "" : describe(model.error()));
    if (!model || model->entry.steps.empty() || !model->entry.steps.front().outer_loop) {
        ADD_FAILURE() << "no step was looked at";
        return {};
    }
    return *model->entry.steps.front().outer_loop;
}

// `body`: of a function that reads `in` and writes `out`, 8 rows of 4.
OuterLoop outer_loop_in(const std::string& body) {
    return outer_loop_of(
        "static void layer(const int8_t *in, int8_t *out) {\n" + body +
        "\n}\n"
        "void net(const int8_t input[static 64], int8_t output[static 64]) { layer(input, output); }\n");
}

void expect_sliceable(const OuterLoop& loop, std::int64_t rounds) {
    EXPECT_EQ(loop.why_not, "");
    EXPECT_EQ(loop.rounds, rounds);
    EXPECT_EQ(loop.where.substr(0, 6), "net.c:") << loop.where;
}

void expect_refused(const OuterLoop& loop, const std::string& why) {
    EXPECT_EQ(loop.rounds, 0);
    EXPECT_NE(loop.why_not.find(why), std::string::npos) << "'" << loop.why_not << "'";
}

TEST(CfrontOuterLoop, IsLookedForInLoopsOfOneRound) {
    expect_sliceable(
        outer_loop_in("for (int n = 0; n < 1; ++n) {\n"
                      "  int8_t first = in[0];\n"
                      "  for (int c = 0; c < 1; ++c)\n"
                      "    for (int y = 0; y < 8; ++y)\n"
                      "      for (int x = 0; x < 4; ++x) out[n * 32 + y * 4 + x] = (int8_t)(in[y * 4 + x] + first);\n"
                      "}"),
        8);
    expect_refused(outer_loop_in("for (int n = 0; n < 1; ++n) {\n"
                                 "  for (int y = 0; y < 4; ++y) out[y] = in[y];\n"
                                 "  for (int y = 0; y < 4; ++y) out[4 + y] = in[y];\n"
                                 "}"),
                   "it stores in several loops, one behind the other");
    expect_refused(outer_loop_in("for (int n = 0; n < 1; ++n) {\n"
                                 "  for (int y = 0; y < 4; ++y) out[y] = in[y];\n"
                                 "  out[4 + n] = 1;\n"
                                 "}"),
                   "has 1 rounds");
}

TEST(CfrontOuterLoop, IsNotLookedAtWhereNobodyAsks) {
    const CodeModel model = model_of("\nvoid f(int8_t *o) { *o = 1; } void net(int8_t out[static 1]) { f(out); }");
    EXPECT_FALSE(model.entry.steps.at(0).outer_loop.has_value());
}

TEST(CfrontOuterLoop, RowsOfAnImage) {
    expect_sliceable(
        outer_loop_in("for (int y = 0; y < 8; ++y)\n"
                      "  for (int x = 0; x < 4; ++x) {\n"
                      "    int sum = 0;\n"
                      "    for (int k = y > 0 ? -1 : 0; k < (y < 7 ? 2 : 1); ++k) sum += in[(y + k) * 4 + x];\n"
                      "    out[y * 4 + x] = (int8_t)(sum / 3);\n"
                      "  }"),
        8);
}

TEST(CfrontOuterLoop, ChannelsThatLieBetweenOneAnother) {
    expect_sliceable(outer_loop_in("for (int c = 0; c < 4; ++c)\n"
                                   "  for (int i = 0; i < 8; ++i) out[i * 4 + c] = in[i * 4 + c];"),
                     4);
}

TEST(CfrontOuterLoop, APointerThatMovesOnByAConstant) {
    expect_sliceable(outer_loop_in("for (int y = 0; y < 8; ++y) {\n"
                                   "  for (int x = 0; x < 4; ++x) *out++ = *in++;\n"
                                   "}"),
                     8);
}

TEST(CfrontOuterLoop, CountingDownAndInStrides) {
    expect_sliceable(outer_loop_in("for (int y = 28; y >= 0; y -= 4) memcpy(out + y, in + y, 4);"), 8);
}

TEST(CfrontOuterLoop, AGuardByDataNarrowsNothingButIsSafe) {
    expect_sliceable(outer_loop_in("for (int i = 0; i < 8; ++i) { if (in[i] > 0) out[i] = in[i]; }"), 8);
}

TEST(CfrontOuterLoop, ATableThatIsMadeBeforeTheLoop) {
    expect_sliceable(outer_loop_in("int8_t table[16];\n"
                                   "for (int i = 0; i < 16; ++i) table[i] = (int8_t)(i * i);\n"
                                   "for (int i = 0; i < 8; ++i) out[i] = table[in[i] & 15];"),
                     8);
}

TEST(CfrontOuterLoop, ARoundThatWritesWhatTheNextOneWrites) {
    const OuterLoop loop = outer_loop_in(
        "for (int y = 0; y < 8; ++y)\n"
        "  for (int x = 0; x < 5; ++x) out[y * 4 + x] = in[x];");
    expect_refused(loop, "round 1 of the loop at net.c:");
    expect_refused(loop, "writes what an earlier one wrote: bytes [4, 5)");
}

TEST(CfrontOuterLoop, EveryRoundWritesTheSameBytes) {
    expect_refused(outer_loop_in("for (int y = 0; y < 8; ++y) for (int x = 0; x < 4; ++x) out[x] = in[y];"),
                   "writes what an earlier one wrote: bytes [0, 4)");
}

TEST(CfrontOuterLoop, ASumThatGrowsFromRoundToRound) {
    expect_refused(outer_loop_in("int sum = 0;\nfor (int i = 0; i < 8; ++i) { sum += in[i]; out[i] = (int8_t)sum; }"),
                   "carries a value from each round to the next");
    expect_refused(outer_loop_in("float sum = 0;\nfor (int i = 0; i < 8; ++i) { sum += in[i]; out[i] = (int8_t)sum; }"),
                   "carries a value from each round to the next");
}

TEST(CfrontOuterLoop, APointerThatMovesOnByData) {
    expect_refused(outer_loop_in("for (int i = 0; i < 8; ++i) { *out = in[i]; out += in[i] & 3; }"),
                   "carries a value from each round to the next");
}

TEST(CfrontOuterLoop, AnOutputThatIsReadBack) {
    expect_refused(outer_loop_in("for (int i = 0; i < 8; ++i) out[i] = (int8_t)(out[i] + in[i]);"),
                   "it reads bytes that it writes, [0, 8)");
    expect_refused(outer_loop_in("out[0] = 1;\nfor (int i = 1; i < 8; ++i) out[i] = (int8_t)(out[i - 1] * 2);"),
                   "the store at net.c:");
    expect_refused(outer_loop_of("static void scale(int8_t *in, int8_t *out) {\n"
                                 "  for (int i = 0; i < 8; ++i) out[i] = (int8_t)(in[i] / 2);\n}\n"
                                 "void net(int8_t data[static 16]) { scale(data + 4, data); }\n"),
                   "it reads bytes that it writes, [4, 8)");
}

TEST(CfrontOuterLoop, ALocalBufferMayCarryValues) {
    expect_refused(outer_loop_in("int8_t last[4] = {0};\n"
                                 "for (int i = 0; i < 8; ++i) { out[i] = last[i & 3]; last[i & 3] = in[i]; }"),
                   "stores to local memory and loads from it");
}

// Whoever cuts the loop looks for it there.
TEST(CfrontOuterLoop, ItsPlaceIsItsHead) {
    EXPECT_EQ(outer_loop_in(
                  "int at = 0;\n\nfor (int i = 0; i < 8; i++) {\n  out[i * 2] = in[at++];\n  out[i * 2 + 1] = 0;\n}")
                  .where,
              "net.c:6");
    EXPECT_EQ(outer_loop_in("const int8_t *from = in + 15;\n"
                            "for (int8_t *to = out;\n"
                            "     to < out + 16; from -= 2, to += 2)\n"
                            "  { if (*from < 0) { to[1] = *from; continue; } to[0] = 1; }")
                  .where,
              "net.c:5");
}

TEST(CfrontOuterLoop, ABufferOfARoundsOwnCarriesNothing) {
    const std::string fill =
        "for (int k = 0; k < 4; ++k) buffer[in[k + y] & 3] = in[k];\n"
        "for (int k = 0; k < 4; ++k) out[y * 4 + k] = buffer[in[k] & 3];\n";
    expect_sliceable(outer_loop_in("for (int y = 0; y < 8; ++y) { int8_t buffer[4] = {0};\n" + fill + "}"), 8);
    expect_refused(outer_loop_in("int8_t buffer[4] = {0};\nfor (int y = 0; y < 8; ++y) {\n" + fill + "}"),
                   "stores to local memory and loads from it");
}

TEST(CfrontOuterLoop, AStateThatOutlivesTheCall) {
    expect_refused(outer_loop_of("static int32_t count;\n"
                                 "static void layer(const int8_t *in, int8_t *out) {\n"
                                 "  for (int i = 0; i < 8; ++i) { count += 1; out[i] = in[i]; }\n}\n"
                                 "int32_t seen(void) { return count; }\n"
                                 "void net(const int8_t in[static 8], int8_t out[static 8]) { layer(in, out); }\n"),
                   "it reads bytes that it writes");
}

TEST(CfrontOuterLoop, SeveralLoopsOrNone) {
    const OuterLoop several = outer_loop_in(
        "for (int i = 0; i < 8; ++i) out[i] = in[i];\n"
        "for (int i = 8; i < 16; ++i) out[i] = 0;");
    expect_refused(several, "it stores in several loops, one behind the other: net.c:");
    expect_refused(outer_loop_in("for (int i = 0; i < 8; ++i) out[i] = in[i];\nout[8] = 1;"),
                   "is outside of its loops");
    expect_refused(outer_loop_in("(void)in; (void)out;"), "it stores nothing in a loop");
}

TEST(CfrontOuterLoop, AnEndThatDependsOnData) {
    expect_refused(outer_loop_in("for (int i = 0; i < in[0]; ++i) out[i] = in[i];"), "runs depends on data");
    expect_refused(outer_loop_in("for (int i = 0; i < 8; ++i) { if (in[i] == 0) break; out[i] = in[i]; }"),
                   "runs depends on data");
}

TEST(CfrontOuterLoop, AnAddressThatDependsOnData) {
    expect_refused(outer_loop_in("for (int i = 0; i < 8; ++i) out[in[i] & 7] = 1;"), "its address depends on data");
}

TEST(CfrontOuterLoop, ACallThatNobodyDefines) {
    expect_refused(outer_loop_of("void other(int8_t *out);\n"
                                 "static void layer(int8_t *out) { for (int i = 0; i < 8; ++i) other(out + i); }\n"
                                 "void net(int8_t out[static 8]) { layer(out); }\n"),
                   "calls other, which has no definition here");
}

}  // namespace
}  // namespace metamorph::cfront

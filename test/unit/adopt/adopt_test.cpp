// What adoption makes of entries that nobody wrote for us.
#include "adopt/adopt.h"

#include <gtest/gtest.h>

namespace metamorph::adopt {
namespace {

using generate::EntryParameter;
using generate::ForeignCode;
using generate::ForeignParameter;
using generate::GeneratedCode;

ForeignCode code_of(const std::string& text) {
    ForeignCode code;
    code.files["net.c"] = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n" + text;
    code.sources = {"net.c"};
    code.include_dirs = {"."};
    code.prefix = "net";
    code.entry = "run";
    code.generator = "custom";
    return code;
}

GeneratedCode adopted(const ForeignCode& code) {
    Result<GeneratedCode> result = adopt(code);
    EXPECT_TRUE(result) << (result ? "" : describe(result.error()));
    return result ? std::move(*result) : GeneratedCode{};
}

std::string steps_of(const GeneratedCode& code) {
    return code.adopted ? code.adopted->files.at("net_steps.c") : "";
}

std::vector<std::string> names(const GeneratedCode& code) {
    std::vector<std::string> list;
    for (const generate::EntryCall& call : code.calls) {
        list.push_back(call.function);
    }
    return list;
}

const char* const k_layers =
    "static void scale(const int8_t *in, int8_t *out, int n) { for (int i = 0; i < n; i++) out[i] = (int8_t)(in[i] / "
    "2); }\n"
    "static void twist(const int8_t *in, int8_t *out, int n) { for (int i = 0; i < n; i++) out[i] = in[n - 1 - i]; }\n";

TEST(Adopt, LocalsThatStepsShareBecomeAnArena) {
    const GeneratedCode code =
        adopted(code_of(std::string(k_layers) + "void run(const int8_t x[static 64], int8_t y[static 64]) {\n"
                                                "  int8_t a[64], b[64];\n"
                                                "  scale(x, a, 64);\n  twist(a, b, 64);\n  scale(b, y, 64);\n}\n"));
    EXPECT_EQ(names(code), (std::vector<std::string>{"net_step_00_scale", "net_step_01_twist", "net_step_02_scale"}));
    ASSERT_EQ(code.parameters.size(), 3U);
    EXPECT_EQ(code.parameters[2].name, "mm_locals");
    EXPECT_EQ(code.parameters[2].bytes, 128);  // both alive in step 1
}

ForeignCode with_64(ForeignCode code) {
    code.parameters.push_back({"x", ForeignParameter::Role::input, 64, 0});
    code.parameters.push_back({"y", ForeignParameter::Role::output, 64, 0});
    return code;
}

TEST(Adopt, ALoopWithKnownRoundsAroundCallsIsAStepARound) {
    const GeneratedCode code = adopted(with_64(code_of(std::string(k_layers) + R"c(
void run(const int8_t *x, int8_t *y) {
    int8_t buffers[2][64], *from = buffers[0], *to = buffers[1];
    memcpy(from, x, 64);
    for (int i = 0; i < 3; i++) {
        scale(from, to, 64);
        int8_t *t = from;
        from = to;
        to = t;
    }
    twist(from, y, 64);
})c")));
    EXPECT_EQ(names(code), (std::vector<std::string>{"net_step_00_memcpy", "net_step_01_scale", "net_step_02_scale",
                                                     "net_step_03_scale", "net_step_04_twist"}));
    EXPECT_NE(steps_of(code).find("net_step_04_twist((void *)((unsigned char *)mm_locals + 64), (void *)y);"),
              std::string::npos)
        << steps_of(code);
}

TEST(Adopt, MemoryFromMallocIsPartOfTheArena) {
    const GeneratedCode code = adopted(with_64(code_of(std::string(k_layers) + R"c(
int run(const int8_t *x, int8_t *y) {
    int8_t *heap = (int8_t *)malloc(64);
    if (!heap) return -1;
    scale(x, heap, 64);
    twist(heap, y, 64);
    free(heap);
    return 0;
})c")));
    const std::string steps = steps_of(code);
    EXPECT_EQ(code.calls.size(), 2U);
    EXPECT_EQ(steps.find("malloc"), std::string::npos) << steps;
    EXPECT_EQ(steps.find("free"), std::string::npos) << steps;
    EXPECT_EQ(steps.find("mm_result"), std::string::npos) << "it always returns 0\n" << steps;
}

TEST(Adopt, AnEarlyReturnThatCanHappenIsCarriedAlong) {
    const GeneratedCode code = adopted(with_64(code_of(std::string(k_layers) + R"c(
static int check(const int8_t *p) { return p[0] == 99; }
static int fine(const int8_t *p, int8_t *q) { q[0] = p[0]; return 0; }
int run(const int8_t *x, int8_t *y) {
    int8_t a[64];
    scale(x, a, 64);
    if (fine(a, y) != 0) return -2;
    if (check(a)) return -1;
    twist(a, y, 64);
    return 0;
})c")));
    const std::string steps = steps_of(code);
    EXPECT_EQ(steps.find("-2"), steps.rfind("-2"));
    ASSERT_EQ(code.parameters.size(), 5U);
    EXPECT_EQ(code.parameters[2].name, "mm_result");
    EXPECT_EQ(code.parameters[2].role, EntryParameter::Role::output);
    EXPECT_EQ(code.parameters[3].bytes, 1) << "of two returns one can happen: one flag";
    EXPECT_NE(steps.find("if (*((unsigned char *)mm_a0) != 0)"), std::string::npos) << steps;
}

TEST(Adopt, WhatCannotBeSharedKeepsItsStepsTogether) {
    const GeneratedCode code = adopted(with_64(code_of(std::string(k_layers) + R"c(
struct work { int8_t *buffer; int n; };
static void first(struct work *w, const int8_t *x) { scale(x, w->buffer, w->n); }
static void second(struct work *w, int8_t *y) { twist(w->buffer, y, w->n); }
void run(const int8_t *x, int8_t *y) {
    int8_t a[64], b[64];
    struct work w = {a, 64};
    scale(x, b, 64);
    first(&w, b);
    second(&w, b);
    scale(b, y, 64);
})c")));
    EXPECT_EQ(code.calls.size(), 2U) << steps_of(code);
    ASSERT_FALSE(code.adopted->notes.empty());
    EXPECT_NE(code.adopted->notes[0].find("net.c:12: local 'w' cannot be shared by steps: it holds a pointer"),
              std::string::npos)
        << code.adopted->notes[0];
}

TEST(Adopt, AnAddressThatIsLeftBehindKeepsTheEntryWhole) {
    const GeneratedCode code = adopted(with_64(code_of(std::string(k_layers) + R"c(
static int8_t *remembered;
static void remember(int8_t *p) { remembered = p; }
void run(const int8_t *x, int8_t *y) {
    int8_t a[64];
    scale(x, a, 64);
    remember(a);
    twist(remembered, y, 64);
})c")));
    EXPECT_EQ(names(code), (std::vector<std::string>{"net_step_00_run"}));
    ASSERT_FALSE(code.adopted->notes.empty());
    EXPECT_NE(code.adopted->notes[0].find("net_step_01_remember leaves the address"), std::string::npos)
        << code.adopted->notes[0];
}

TEST(Adopt, WhatIsMissingIsSaidWithItsPlace) {
    const Result<GeneratedCode> by_value =
        adopt(with_64(code_of("void run(const int8_t *x, int8_t *y, int n) { y[0] = x[n]; }\n")));
    ASSERT_FALSE(by_value);
    EXPECT_EQ(by_value.error().where, "generated/net.c:4");
    EXPECT_NE(by_value.error().message.find("'n'"), std::string::npos);

    const Result<GeneratedCode> extent = adopt(code_of("void run(const int8_t *x, int8_t y[4]) { y[0] = x[0]; }\n"));
    ASSERT_FALSE(extent);
    EXPECT_NE(extent.error().message.find("extent of parameter 'x'"), std::string::npos);

    ForeignCode other = with_64(code_of("void run(const int8_t *x, int8_t *y) { y[0] = x[0]; }\n"));
    other.parameters[0].name = "z";
    const Result<GeneratedCode> unknown = adopt(other);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::options);
    EXPECT_EQ(unknown.error().hint, "its parameters are: x, y");

    other.entry = "rum";
    const Result<GeneratedCode> no_entry = adopt(other);
    ASSERT_FALSE(no_entry);
    EXPECT_EQ(no_entry.error().hint, "the nearest names are: run");
}

}  // namespace
}  // namespace metamorph::adopt

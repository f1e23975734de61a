// Traps: code that an analysis could easily miss. Never less than what can happen.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

bool is_whole(const Access& access, std::int64_t bytes) {
    return access.reads.contains(0, bytes) && access.writes.contains(0, bytes) && access.must_writes.empty();
}

TEST(CfrontSoundness, APointerKeptInALocalStructIsFollowed) {
    const CodeModel model = model_of(R"(
        struct cursor { int8_t *at; int left; };
        static void put(struct cursor *c, int8_t v) { *c->at = v; c->at++; c->left--; }
        static void step(int8_t *out) { struct cursor c = {out + 2, 3}; put(&c, 1); put(&c, 2); }
        void net(int8_t arena[static 16]) { step(arena); }
    )");
    EXPECT_EQ(access_to(model, "arena").writes.print(), "[2, 4)");
}

TEST(CfrontSoundness, APointerThatIsLoadedFromMemoryMayLeadAnywhere) {
    const CodeModel model = model_of(R"(
        static int8_t buffer[8];
        static int8_t *cursor = buffer;
        static void move(int8_t *to) { cursor = to; }
        static void put(int8_t v) { *cursor = v; }
        void net(int8_t arena[static 16]) { move(arena + 3); put(1); }
    )");
    EXPECT_TRUE(access_to(model, "arena", 1).writes.contains(0, 16));
    EXPECT_TRUE(access_to(model, "buffer", 1).writes.contains(0, 8));
    EXPECT_TRUE(access_to(model, "arena", 1).must_writes.empty());
    EXPECT_EQ(access_to(model, "arena", 1).write_reason, "store at net.c:6 goes through a pointer of unknown origin");
    EXPECT_TRUE(access_to(model, "cursor", 0).writes.contains(0, 8));
}

TEST(CfrontSoundness, ATableOfPointersInALocalIsNotLost) {
    const CodeModel model = model_of(R"(
        static void step(int8_t *a, int8_t *b, const int8_t *in) { int8_t *both[2] = {a, b}; both[in[0] & 1][1] = 1; }
        void net(const int8_t input[static 2], int8_t x[static 4], int8_t y[static 4]) { step(x, y, input); }
    )");
    EXPECT_TRUE(access_to(model, "x").writes.contains(1, 2));
    EXPECT_TRUE(access_to(model, "y").writes.contains(1, 2));
}

TEST(CfrontSoundness, CodeThatIsNotUnderstoodTouchesEverything) {
    const char* kernels[] = {
        "void elsewhere(int8_t *p); static void step(int8_t *p) { elsewhere(p); p[0] = 1; }",
        "static void step(int8_t *p) { if (p[0]) { p[0]--; step(p); } }",
        "static void b(int8_t *p); static void step(int8_t *p) { if (p[0]) { b(p); } } static void b(int8_t *p) { "
        "p[0]--; step(p); }",
        "void (*hook)(int8_t *); static void step(int8_t *p) { hook(p); p[0] = 1; }",
        "static void step(int8_t *p) { p[0] = 1; __asm__ volatile(\"\" ::: \"memory\"); }",
        "static void step(int8_t *p) { int v = p[0]; __asm__(\"\" : \"+r\"(v) :: \"memory\"); p[1] = (int8_t)v; }",
        "static void step(int8_t *p) { int v; __asm__ volatile(\"\" : \"=r\"(v) : \"r\"(p)); p[0] = (int8_t)v; }",
        "static void step(int8_t *p) { int v; __asm__ volatile(\"\" : \"=r\"(v) : \"m\"(*p)); p[0] = (int8_t)v; }",
        "static void step(int8_t *p) { __asm__ volatile(\"\" :: \"r\"(p[0])); p[0] = 1; }",
        "int setjmp(void *); static void *env[64]; static void step(int8_t *p) { if (!setjmp(env)) { p[0] = 1; } }",
        "static void step(int8_t *p) { int i = 0; if (p[3]) { goto b; } a: p[i] = 1; b: ++i; if (i < 5) { goto a; } if "
        "(i < 9) { goto b; } }",
    };
    for (const char* kernel : kernels) {
        const CodeModel model = model_of(
            std::string("\nint8_t other[4];\n") + kernel +
            "\nvoid net(int8_t arena[static 16], int8_t unrelated[static 3]) { step(arena); (void)unrelated; }");
        EXPECT_TRUE(is_whole(access_to(model, "arena"), 16)) << kernel;
        EXPECT_TRUE(is_whole(access_to(model, "unrelated"), 3)) << kernel;
        EXPECT_TRUE(is_whole(access_to(model, "other"), 4)) << kernel;
        EXPECT_NE(access_to(model, "other").write_reason, "") << kernel;
    }
}

// Instructions that C has no operator for: numbers in, a number out.
TEST(CfrontSoundness, AssemblyInRegistersIsArithmetic) {
    const CodeModel model = model_of(R"(
        static int add(int a, int b) { int sum; __asm__ volatile("# %0 %1 %2" : "=r"(sum) : "r"(a), "r"(b) : "cc"); return sum; }
        static void step(int8_t *p) { for (int i = 0; i < 4; ++i) { p[4 + i] = (int8_t)add(p[i], i); } }
        void net(int8_t arena[static 16]) { step(arena); }
    )");
    EXPECT_EQ(access_to(model, "arena").reads.print(), "[0, 4)");
    EXPECT_EQ(access_to(model, "arena").written_once.print(), "[4, 8)");
    EXPECT_TRUE(model.entry.steps.front().opaque.empty());
}

TEST(CfrontSoundness, AFixedAddressMayBeAnything) {
    const CodeModel model = model_of(R"(
        static int8_t other[4];
        static void step(int8_t *p) { *(volatile uint32_t *)0x40000000u = 1; p[0] = other[0]; other[0] = 1; }
        void net(int8_t arena[static 16]) { step(arena); }
    )");
    EXPECT_TRUE(access_to(model, "arena").writes.contains(0, 16));
    EXPECT_TRUE(access_to(model, "other").writes.contains(0, 4));
}

TEST(CfrontSoundness, AddressesThatPassThroughIntegersAreNotLost) {
    const CodeModel model = model_of(R"(
        static void step(int8_t *p) { uintptr_t a = (uintptr_t)p; a = (a + 15u) & ~(uintptr_t)15u; *(int8_t *)a = 1; }
        void net(int8_t arena[static 64]) { step(arena); }
    )");
    EXPECT_TRUE(access_to(model, "arena").writes.contains(0, 64));
    EXPECT_TRUE(access_to(model, "arena").must_writes.empty());
}

TEST(CfrontSoundness, StateInStaticLocalsIsSeen) {
    const CodeModel model = model_of(R"(
        static void step(int8_t *p) { static int8_t history[4]; static int at; history[at++ & 3] = p[0]; p[1] = history[0]; }
        void net(int8_t arena[static 16]) { step(arena); }
    )");
    EXPECT_EQ(access_to(model, "step.history").writes.print(), "[0, 4)");
    EXPECT_TRUE(access_to(model, "step.history").must_writes.empty());
    EXPECT_EQ(access_to(model, "step.at").reads.print(), "[0, 4)");
    EXPECT_TRUE(access_to(model, "step.at").written_once.empty());
}

TEST(CfrontSoundness, AVariableThatIsNeverStoredToIsAConstant) {
    const CodeModel model = model_of(R"(
        static int32_t size = 6;
        static int32_t changing = 6;
        static void fill(int8_t *p) { for (int32_t i = 0; i < size; ++i) { p[i] = 1; } }
        static void fill_changing(int8_t *p) { for (int32_t i = 0; i < changing; ++i) { p[i] = 1; } changing = 5; }
        void net(int8_t arena[static 16]) { fill(arena); fill_changing(arena); }
    )");
    EXPECT_EQ(access_to(model, "arena", 0).written_once.print(), "[0, 6)");
    EXPECT_EQ(access_to(model, "arena", 1).writes.print(), "[0, 16)");
    EXPECT_TRUE(access_to(model, "arena", 1).must_writes.empty());
}

TEST(CfrontSoundness, ScratchUnionsAndOverlappingArgumentsAreOneObject) {
    const CodeModel model = model_of(R"(
        static union { float f[4]; int8_t b[16]; } scratch;
        static void a(const int8_t *in) { for (int i = 0; i < 4; ++i) { scratch.f[i] = in[i]; } }
        static void b(int8_t *out) { for (int i = 0; i < 16; ++i) { out[i] = scratch.b[i]; } }
        void net(const int8_t input[static 4], int8_t output[static 16]) { a(input); b(output); }
    )");
    EXPECT_EQ(access_to(model, "scratch", 0).written_once.print(), "[0, 16)");
    EXPECT_EQ(access_to(model, "scratch", 1).reads.print(), "[0, 16)");
}

TEST(CfrontSoundness, OnlyAParameterWithoutExtentMayBeNull) {
    const CodeModel model = model_of(R"(
        static void step(int8_t *p) { if (p) { p[1] = 1; } }
        void net(int8_t a[static 16], int8_t *b) { step(a); step(b); step((int8_t *)0); }
    )");
    EXPECT_EQ(access_to(model, "a", 0).must_writes.print(), "[1, 2)");
    EXPECT_EQ(access_to(model, "b", 1).writes.print(), "[1, 2)");
    EXPECT_TRUE(access_to(model, "b", 1).must_writes.empty());
    EXPECT_TRUE(model.entry.steps[2].accesses.empty());
}

TEST(CfrontSoundness, ALoadWhoseValueDoesNotMatterIsStillALoad) {
    const CodeModel model = model_of(R"(
        static void step(const int8_t *in, int8_t *out) { for (int i = 0; i < 8; ++i) { out[i] = (int8_t)((in[i] & 1) > 5 ? 3 : 4); } }
        static void unused(const int8_t *in) { (void)in[3]; }
        void net(const int8_t input[static 16], int8_t arena[static 64]) { step(input, arena); unused(input); }
    )");
    EXPECT_EQ(access_to(model, "input", 0).reads.print(), "[0, 8)");
    EXPECT_EQ(access_to(model, "arena", 0).written_once.print(), "[0, 8)");
    EXPECT_EQ(model.function("step")->reads_parameters, std::vector<unsigned>{0});
}

TEST(CfrontSoundness, MathematicsTouchesNothing) {
    const CodeModel model = model_of(R"(
        #include <math.h>
        static int8_t other[4];
        static void step(float *p) { for (int i = 0; i < 4; ++i) { p[i] = expf(p[i]) + roundf(sqrtf(p[i])) + tanhf(p[i]); } other[0]++; }
        void net(float arena[static 4]) { step(arena); }
    )");
    EXPECT_EQ(access_to(model, "arena").must_writes.print(), "[0, 16)");
    EXPECT_EQ(access_to(model, "other").writes.print(), "[0, 1)");
}

}  // namespace
}  // namespace metamorph::cfront

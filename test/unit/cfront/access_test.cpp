// Which bytes a call touches: the shapes that generated kernels have, and what defeats them.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

TEST(CfrontAccess, FindsADenseLoopToTheByte) {
    const CodeModel model = model_of(R"(
        static void relu(const int8_t in[static 40], int8_t out[static 40]) {
            for (int32_t i = 0; i < 40; ++i) { out[i] = in[i] < 0 ? 0 : in[i]; }
        }
        void net(const int8_t input[static 40], int8_t arena[static 200]) { relu(input, arena + 100); }
    )");
    EXPECT_EQ(access_to(model, "input").reads.print(), "[0, 40)");
    const Access arena = access_to(model, "arena");
    EXPECT_TRUE(arena.reads.empty());
    EXPECT_EQ(arena.writes.print(), "[100, 140)");
    EXPECT_EQ(arena.must_writes, arena.writes);
    EXPECT_EQ(arena.written_once, arena.writes);
    EXPECT_EQ(arena.write_reason, "");
    EXPECT_EQ(model.entry.steps[0].accesses.size(), 2U);
}

constexpr const char* k_padded_convolution = R"(
    static void conv(const int8_t *in, int8_t *out) {
        for (int32_t oy = 0; oy < 5; ++oy) {
            for (int32_t ox = 0; ox < 4; ++ox) {
                for (int32_t oc = 0; oc < 3; ++oc) {
                    int32_t acc = 0;
                    for (int32_t ky = 0; ky < 3; ++ky) {
                        const int32_t iy = oy * 2 + ky - 1;
                        for (int32_t kx = 0; kx < 3; ++kx) {
                            const int32_t ix = ox * 2 + kx - 1;
                            if (iy >= 0 && iy < 10 && ix >= 0 && ix < 8) {
                                for (int32_t ic = 0; ic < 2; ++ic) {
                                    acc += in[(iy * 8 + ix) * 2 + ic] * (ky + kx);
                                }
                            }
                        }
                    }
                    out[(oy * 4 + ox) * 3 + oc] = (int8_t)acc;
                }
            }
        }
    }
    void net(int8_t *arena) { conv(arena + 1000, arena); }
)";

TEST(CfrontAccess, NarrowsAPaddedConvolutionByItsGuards) {
    // The arena's extent is not declared: nothing but the guards bounds the reads.
    const Access arena = access_to(model_of(k_padded_convolution), "arena");
    EXPECT_EQ(arena.reads.print(), "[1000, 1160)");
    EXPECT_EQ(arena.writes.print(), "[0, 60)");
    EXPECT_EQ(arena.must_writes.print(), "[0, 60)");
    EXPECT_EQ(arena.written_once.print(), "[0, 60)");
    EXPECT_EQ(arena.read_reason, "");
}

TEST(CfrontAccess, NarrowsByClampedLoopBounds) {
    const CodeModel model = model_of(R"(
        static int32_t max_of(int32_t a, int32_t b) { return a > b ? a : b; }
        static int32_t min_of(int32_t a, int32_t b) { return a < b ? a : b; }
        void pool(const int8_t *in, int8_t *out, int32_t height, int32_t width) {
            for (int32_t oy = 0; oy < height; ++oy) {
                for (int32_t ox = 0; ox < width; ++ox) {
                    const int32_t y0 = max_of(0, 1 - oy), y1 = min_of(3, height + 1 - oy);
                    const int32_t x0 = max_of(0, 1 - ox), x1 = min_of(3, width + 1 - ox);
                    int8_t best = -128;
                    for (int32_t ky = y0; ky < y1; ++ky) {
                        for (int32_t kx = x0; kx < x1; ++kx) {
                            const int8_t v = in[(oy + ky - 1) * width + ox + kx - 1];
                            best = v > best ? v : best;
                        }
                    }
                    out[oy * width + ox] = best;
                }
            }
        }
        void net(int8_t *arena) { pool(arena + 64, arena, 6, 7); }
    )");
    const Access arena = access_to(model, "arena");
    EXPECT_EQ(arena.reads.print(), "[64, 106)");
    EXPECT_EQ(arena.writes.print(), "[0, 42)");
    EXPECT_EQ(arena.written_once, arena.writes);
}

TEST(CfrontAccess, SizesThatOnlyTheCallKnowsDecideInAnotherSource) {
    Snippets snippets;
    snippets.add("kernel.h",
                 "#include <stdint.h>\nvoid kernel(const int8_t *restrict in, const int8_t *w, int8_t *restrict out, "
                 "uint32_t n, uint32_t m);\nextern const int8_t w[64];\n");
    snippets.add("kernel.c", R"(
        #include "kernel.h"
        void kernel(const int8_t *restrict in, const int8_t *w, int8_t *restrict out, uint32_t n, uint32_t m) {
            for (uint32_t o = 0; o < m; o++) {
                int32_t acc = 0;
                for (uint32_t i = 0; i < n; i++) { acc += in[i] * w[o * n + i]; }
                out[o] = (int8_t)acc;
            }
        })");
    snippets.add("net.c", R"(
        #include "kernel.h"
        const int8_t w[64] = {1, 2, 3};
        void net(uint8_t arena[static 256]) {
            kernel((const int8_t *)(arena + 128u), w, (int8_t *)(void *)(arena + 0u), 16u, 4u);
            kernel((const int8_t *)arena, w, (int8_t *)&arena[32], 4u, 16u);
        })");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_EQ(access_to(*model, "arena", 0).reads.print(), "[128, 144)");
    EXPECT_EQ(access_to(*model, "arena", 0).written_once.print(), "[0, 4)");
    EXPECT_EQ(access_to(*model, "arena", 1).reads.print(), "[0, 4)");
    EXPECT_EQ(access_to(*model, "arena", 1).written_once.print(), "[32, 48)");
    // Constant objects are named as arguments, but what is read of them is left out.
    EXPECT_EQ(access_to(*model, "w", 0).reads.print(), "{}");
}

TEST(CfrontAccess, EnumeratesTheRowsOfAConcatenation) {
    const CodeModel model = model_of(R"(
        static void concat_part(const int8_t *in, int8_t *out) {
            for (int r = 0; r < 3; ++r) { for (int c = 0; c < 8; ++c) { out[r * 24 + c] = in[r * 8 + c]; } }
        }
        void net(const int8_t input[static 24], int8_t arena[static 72]) { concat_part(input, arena + 8); }
    )");
    EXPECT_EQ(access_to(model, "arena").writes.print(), "[8, 16) [32, 40) [56, 64)");
    EXPECT_EQ(access_to(model, "arena").written_once.print(), "[8, 16) [32, 40) [56, 64)");
    EXPECT_EQ(access_to(model, "input").reads.print(), "[0, 24)");
}

TEST(CfrontAccess, FollowsNegativeStridesAndMovingPointers) {
    const CodeModel model = model_of(R"(
        static void reverse(const int16_t *in, int16_t *out) { for (int i = 9; i >= 0; --i) { out[9 - i] = in[i]; } }
        static void bump(const float *in, float *out) {
            for (int r = 0; r < 4; ++r) { for (int c = 0; c < 5; ++c) { *out++ = *in++ * 2.0f; } in += 3; }
        }
        static void down(int8_t *last) { for (int i = 0; i < 6; ++i) { *last-- = 1; } }
        void net(int8_t arena[static 1024]) {
            reverse((const int16_t *)(void *)arena, (int16_t *)(void *)(arena + 100));
            bump((const float *)(void *)(arena + 512), (float *)(void *)(arena + 128));
            down(arena + 40);
        }
    )");
    EXPECT_EQ(access_to(model, "arena", 0).reads.print(), "[0, 20)");
    EXPECT_EQ(access_to(model, "arena", 0).written_once.print(), "[100, 120)");
    EXPECT_EQ(access_to(model, "arena", 1).reads.print(), "[512, 532) [544, 564) [576, 596) [608, 628)");
    EXPECT_EQ(access_to(model, "arena", 1).written_once.print(), "[128, 208)");
    EXPECT_EQ(access_to(model, "arena", 2).written_once.print(), "[35, 41)");
}

TEST(CfrontAccess, KnowsMemoryFunctions) {
    const CodeModel model = model_of(R"(
        static void step(const int8_t *in, int8_t *out, size_t n) {
            memcpy(out, in, n); memset(out + n, 7, 10); memmove(out + 64, out + 32, 4);
            for (size_t r = 0; r < 3; ++r) { memcpy(out + 128 + r * 8, in + r * 2, 2); }
        }
        void net(const int8_t input[static 16], int8_t arena[static 256]) {
            step(input, arena, 16);
            memcpy(arena + 200, input, 12);
        }
    )");
    EXPECT_EQ(access_to(model, "input").reads.print(), "[0, 16)");
    EXPECT_EQ(access_to(model, "arena").writes.print(), "[0, 26) [64, 68) [128, 130) [136, 138) [144, 146)");
    EXPECT_EQ(access_to(model, "arena").must_writes, access_to(model, "arena").writes);
    EXPECT_EQ(access_to(model, "arena").reads.print(), "[32, 36)");
    EXPECT_EQ(model.entry.steps[1].callee, "memcpy");
    EXPECT_EQ(access_to(model, "arena", 1).written_once.print(), "[200, 212)");
}

TEST(CfrontAccess, FollowsSizesThroughStructsThatArePassedByAddress) {
    const CodeModel model = model_of(R"(
        typedef struct { int32_t n, h, w, c; } dims_t;
        typedef struct { const int8_t *data; dims_t dims; } tensor_t;
        static const dims_t k_dims = {1, 2, 3, 4};
        static void fill(const dims_t *d, int8_t *out) {
            for (int32_t i = 0; i < d->h * d->w * d->c; ++i) { out[i] = 1; }
        }
        static void sum(const tensor_t *t, int32_t *out) {
            int32_t s = 0;
            for (int32_t i = 0; i < t->dims.c; ++i) { s += t->data[i]; }
            *out = s;
        }
        static void layer(const int8_t *in, int32_t *out) {
            tensor_t t = {in, {1, 1, 1, 9}};
            sum(&t, out);
        }
        void net(int8_t arena[static 64]) { fill(&k_dims, arena); layer(arena + 3, (int32_t *)(void *)(arena + 32)); }
    )");
    EXPECT_EQ(access_to(model, "arena", 0).written_once.print(), "[0, 24)");
    EXPECT_EQ(access_to(model, "arena", 1).reads.print(), "[3, 12)");
    EXPECT_EQ(access_to(model, "arena", 1).written_once.print(), "[32, 36)");
}

TEST(CfrontAccess, ReadsTablesOfConstants) {
    const CodeModel model = model_of(R"(
        static const uint16_t k_offsets[4] = {0, 40, 8, 100};
        typedef void (*op_t)(int8_t *);
        static void one(int8_t *p) { p[1] = 1; }
        static void two(int8_t *p) { p[2] = 2; }
        static const op_t k_ops[2] = {one, two};
        static void scatter(int8_t *out) { for (int i = 0; i < 4; ++i) { out[k_offsets[i]] = 1; } }
        static void dispatch(int8_t *out, int which) { k_ops[which](out); }
        void net(int8_t arena[static 128]) { scatter(arena); dispatch(arena, 1); }
    )");
    EXPECT_EQ(access_to(model, "arena", 0).written_once.print(), "[0, 1) [8, 9) [40, 41) [100, 101)");
    EXPECT_EQ(access_to(model, "arena", 1).written_once.print(), "[2, 3)");
}

TEST(CfrontAccess, BoundsAnIndexThatDependsOnData) {
    const CodeModel model = model_of(R"(
        static void histogram(const uint8_t *in, uint16_t *out) { for (int i = 0; i < 10; ++i) { out[in[i]] = 1; } }
        static void scatter(const int32_t *in, uint8_t *out) { for (int i = 0; i < 10; ++i) { out[in[i]] = 1; } }
        void net(uint8_t input[static 40], uint8_t arena[static 4096]) {
            histogram(input, (uint16_t *)(void *)(arena + 8));
            scatter((const int32_t *)(void *)input, arena + 100);
        }
    )");
    EXPECT_EQ(access_to(model, "arena", 0).writes.print(), "[8, 520)");
    EXPECT_TRUE(access_to(model, "arena", 0).must_writes.empty());
    EXPECT_EQ(access_to(model, "arena", 0).write_reason, "store at net.c:3: its address is known only within bounds");
    EXPECT_EQ(access_to(model, "arena", 1).writes.print(), "[0, 4096)");
}

TEST(CfrontAccess, KnowsPartsOfStructsAndMultiDimensionalArrays) {
    const CodeModel model = model_of(R"(
        struct scratch { int8_t a[16]; float b[2][3]; };
        static struct scratch g;
        static union { int8_t bytes[8]; int32_t words[2]; } u;
        static void write_part(struct scratch *s) { for (int i = 0; i < 3; ++i) { s->b[1][i] = 0.0f; } }
        static void direct(void) { g.a[3] = 1; u.words[1] = 5; }
        static void plane(const float x[1][2][3], float y[restrict 2][3]) {
            for (int i = 0; i < 2; ++i) { for (int j = 0; j < 2; ++j) { y[i][j] = x[0][i][j + 1]; } }
        }
        void net(const float x[1][2][3], float y[2][3]) {
            write_part(&g); direct(); plane(x, y);
        }
    )");
    EXPECT_EQ(access_to(model, "g", 0).written_once.print(), "[28, 40)");
    EXPECT_EQ(access_to(model, "g", 1).written_once.print(), "[3, 4)");
    EXPECT_EQ(access_to(model, "u", 1).written_once.print(), "[4, 8)");
    EXPECT_EQ(access_to(model, "x", 2).reads.print(), "[4, 12) [16, 24)");
    EXPECT_EQ(access_to(model, "y", 2).written_once.print(), "[0, 8) [12, 20)");
}

TEST(CfrontAccess, WorksForThirtyTwoBitTargets) {
    for (const char* target : {"armv7em-none-eabi", "riscv32-unknown-elf"}) {
        Snippets snippets;
        snippets.input().target.triple = target;
        snippets.add("net.c", std::string("#include <stdint.h>\n") + k_padded_convolution);
        const Result<CodeModel> model = snippets.analyse();
        ASSERT_TRUE(model) << describe(model.error());
        EXPECT_EQ(access_to(*model, "arena").reads.print(), "[1000, 1160)") << target;
        EXPECT_EQ(access_to(*model, "arena").written_once.print(), "[0, 60)") << target;
    }
}

}  // namespace
}  // namespace metamorph::cfront

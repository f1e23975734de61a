// What a call reads only behind its own writes, so that what was there before does not matter: temporaries. And what
// looks like it, but is not.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

// Of `pad`, which the body uses beside `in` and `out`.
Access pad_of(const std::string& body) {
    return access_to(model_of("\nstatic void step(const int8_t *in, int8_t *out, int8_t *pad) {" + body +
                              "}\nvoid net(const int8_t in[static 16], int8_t out[static 16], int8_t pad[static 16]) "
                              "{ step(in, out, pad); }"),
                     "pad");
}

TEST(CfrontReadBack, ATemporaryThatOneLoopFillsAndTheNextReads) {
    const Access pad = pad_of(R"(
        for (int i = 0; i < 16; ++i) { pad[i] = i < 3 ? 0 : in[i - 3]; }
        for (int i = 0; i < 14; ++i) { out[i] = pad[i] + pad[i + 2]; }
    )");
    EXPECT_EQ(pad.reads.print(), "[0, 16)");
    EXPECT_EQ(pad.read_back.print(), "[0, 16)");
    EXPECT_TRUE(pad.written_once.empty()) << "read in the call";
}

TEST(CfrontReadBack, OnlyWhatWasWritten) {
    const Access pad = pad_of(R"(
        for (int i = 4; i < 12; ++i) { pad[i] = in[i]; }
        for (int i = 0; i < 16; ++i) { out[i] = pad[i]; }
    )");
    EXPECT_EQ(pad.read_back.print(), "[4, 12)");
}

TEST(CfrontReadBack, StoresOutsideOfLoopsAndCopies) {
    EXPECT_EQ(pad_of("pad[0] = 1; pad[1] = 2; for (int i = 0; i < 3; ++i) { out[i] = pad[i]; }").read_back.print(),
              "[0, 2)");
    EXPECT_EQ(pad_of("memcpy(pad, in, 8); memcpy(out, pad, 16);").read_back.print(), "[0, 8)");
    EXPECT_EQ(pad_of("memset(pad, 0, 8); for (int i = 0; i < 8; ++i) { pad[i] += in[i]; }").read_back.print(),
              "[0, 8)");
    EXPECT_EQ(pad_of("memcpy(pad, pad + 4, 8);").read_back.print(), "{}");
}

TEST(CfrontReadBack, AStaticArrayOfTheKernel) {
    const Access scratch = access_to(model_of(R"(
        static void step(const int8_t *in, int8_t *out) {
            static int8_t scratch[8];
            for (int i = 0; i < 8; ++i) { scratch[7 - i] = in[i]; }
            for (int i = 0; i < 8; ++i) { out[i] = scratch[i]; }
        }
        void net(const int8_t in[static 16], int8_t out[static 16]) { step(in, out); }
    )"),
                                     "step.scratch");
    EXPECT_EQ(scratch.read_back.print(), "[0, 8)");
}

TEST(CfrontReadBack, InALoopThatRunsOnce) {
    const Access pad = pad_of(R"(
        for (int row = 0; row < 1; ++row) {
            for (int i = 0; i < 8; ++i) { pad[row * 8 + i] = in[i]; }
            for (int i = 0; i < 8; ++i) { out[i] = pad[row * 8 + i]; }
        }
    )");
    EXPECT_EQ(pad.read_back.print(), "[0, 8)");
    EXPECT_EQ(pad_of("int k = 0; do { memcpy(pad, in, 8); memcpy(out, pad, 8); } while (++k < 1);").read_back.print(),
              "[0, 8)");
    EXPECT_EQ(pad_of("for (int k = 0; k < 2; ++k) { memcpy(out, pad, 8); memcpy(pad, in, 8); }").read_back.print(),
              "{}");
}

TEST(CfrontReadBack, ATemporaryThatEachRoundFillsAnew) {
    const Access rows = pad_of(R"(
        for (int y = 0; y < 4; ++y) {
            for (int i = 0; i < 6; ++i) { pad[i] = y + i > 0 && y + i < 7 ? in[y + i - 1] : 0; }
            for (int x = 0; x < 4; ++x) {
                int sum = 0;
                for (int k = 0; k < 3; ++k) { sum += pad[x + k]; }
                out[y * 4 + x] = (int8_t)sum;
            }
        }
    )");
    EXPECT_EQ(rows.reads.print(), "[0, 6)");
    EXPECT_EQ(rows.read_back.print(), "[0, 6)");
    EXPECT_EQ(pad_of("for (int k = 0; k < 5; ++k) { pad[3] = in[k]; out[k] = pad[3]; }").read_back.print(), "[3, 4)");
    // Each round another part: of the first round's it is certain.
    EXPECT_EQ(pad_of("for (int i = 0; i < 8; ++i) { pad[i] = in[i]; out[i] = pad[i]; }").read_back.print(), "[0, 1)");
    const Access nested = pad_of(R"(
        for (int c = 0; c < 2; ++c) {
            for (int y = 0; y < 2; ++y) {
                for (int i = 0; i < 4 + c; ++i) { pad[i] = in[y + c + i]; }
                for (int i = 0; i < 5; ++i) { out[i + y + c] = pad[i]; }
            }
        }
    )");
    EXPECT_EQ(nested.reads.print(), "[0, 5)");
    EXPECT_EQ(nested.read_back.print(), "[0, 4)") << "the fifth only when c is 1";
}

TEST(CfrontReadBack, ThroughAnotherArgument) {
    const CodeModel model = model_of(R"(
        static void step(int8_t *a, const int8_t *b, int8_t *out) {
            for (int i = 0; i < 8; ++i) { a[i] = 3; }
            for (int i = 0; i < 8; ++i) { out[i] = b[i]; }
        }
        void net(int8_t arena[static 16], int8_t out[static 8]) { step(arena, arena + 4, out); }
    )");
    EXPECT_EQ(access_to(model, "arena").reads.print(), "[4, 12)");
    EXPECT_EQ(access_to(model, "arena").read_back.print(), "[4, 8)");
}

TEST(CfrontReadBack, WhatMayBeOlderIsNotReadBack) {
    const char* bodies[] = {
        // read before it is written
        "for (int i = 0; i < 8; ++i) { out[i] = pad[i]; } for (int i = 0; i < 8; ++i) { pad[i] = in[i]; }",
        "for (int i = 0; i < 8; ++i) { pad[i] += in[i]; }",
        "pad[0] = pad[0] + 1;",
        // in one loop: the next round's is read
        "for (int i = 0; i < 8; ++i) { pad[i] = in[i]; out[i] = pad[i + 1]; }",
        // first read, then written, then read
        "out[0] = pad[0]; pad[0] = in[0]; out[1] = pad[0];",
        // not sure to be written
        "if (in[0] > 0) { for (int i = 0; i < 8; ++i) { pad[i] = 0; } } for (int i = 0; i < 8; ++i) { out[i] = pad[i]; "
        "}",
        "for (int i = 0; i < 8; ++i) { if (in[i] > 0) { pad[i] = 0; } } for (int i = 0; i < 8; ++i) { out[i] = pad[i]; "
        "}",
        "for (int i = 0; i < in[0]; ++i) { pad[i & 7] = 0; } for (int i = 0; i < 8; ++i) { out[i] = pad[i]; }",
        "for (int i = 0; i < 8; ++i) { if (in[i] > 99) { break; } pad[i] = 0; } for (int i = 0; i < 8; ++i) { out[i] = "
        "pad[i]; }",
        "pad[in[0] & 7] = 0; out[0] = pad[0];",
        // written, but elsewhere
        "for (int i = 0; i < 8; ++i) { pad[i + 8] = in[i]; } for (int i = 0; i < 8; ++i) { out[i] = pad[i]; }",
        // an inner loop that runs before the other in the next round of the outer one
        "for (int k = 0; k < 2; ++k) { for (int i = 0; i < 8; ++i) { out[i] = pad[i]; } for (int i = 0; i < 8; ++i) { "
        "pad[i] = in[i]; } }",
        // in a round of a loop that is not the first
        "for (int k = 0; k < 3; ++k) { if (k == 1) { memset(pad, 0, 8); } out[k] = pad[k]; }",
        "for (int k = 0; k < 3; ++k) { for (int i = 0; i < k; ++i) { pad[i] = 0; } out[k] = pad[k]; }",
        "for (int k = 0; k < 3; ++k) { if (in[k] > 0) { memset(pad, 0, 8); } out[k] = pad[k]; }",
        "for (int k = 0; k < 3; ++k) { if (in[k] > 0) { continue; } out[k] = pad[k]; memset(pad, 0, 8); }",
        // what is not understood
        "for (int i = 0; i < 8; ++i) { pad[i] = in[i]; } __asm__ volatile(\"\" ::: \"memory\"); out[0] = pad[0];",
    };
    for (const char* body : bodies) {
        const Access pad = pad_of(body);
        EXPECT_FALSE(pad.reads.empty()) << body;
        EXPECT_EQ(pad.read_back.print(), "{}") << body;
    }
}

TEST(CfrontReadBack, AReadOnSomePathAroundTheWriteIsNot) {
    EXPECT_EQ(pad_of("if (in[0] > 0) { pad[0] = 1; out[0] = pad[0]; } else { out[0] = pad[0]; }").read_back.print(),
              "{}");
    // Written on each path, but by no store that every path comes by.
    EXPECT_EQ(pad_of("if (in[0] > 0) { pad[0] = 1; } else { pad[0] = 2; } out[0] = pad[0];").read_back.print(), "{}");
    EXPECT_EQ(pad_of("if (in[0] > 0) { out[0] = 1; return; } pad[0] = 1; out[0] = pad[0];").read_back.print(), "{}");
}

}  // namespace
}  // namespace metamorph::cfront

// must_writes and written_once: what must never be claimed.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

struct Case {
    const char* name;
    const char* body;  // of `static void step(const int8_t *in, int8_t *out)`
    const char* writes;
    const char* must_writes;
    const char* written_once;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

class CfrontCertainty : public ::testing::TestWithParam<Case> {};

TEST_P(CfrontCertainty, IsExact) {
    const CodeModel model =
        model_of(std::string("\nstatic void step(const int8_t *in, int8_t *out) {\n") + GetParam().body +
                 "\n}\nvoid net(const int8_t input[static 16], int8_t arena[static 64]) { step(input, arena); }");
    const Access arena = access_to(model, "arena");
    EXPECT_EQ(arena.writes.print(), GetParam().writes);
    EXPECT_EQ(arena.must_writes.print(), GetParam().must_writes);
    EXPECT_EQ(arena.written_once.print(), GetParam().written_once);
    EXPECT_TRUE(arena.writes.contains(arena.must_writes));
    EXPECT_TRUE(arena.must_writes.contains(arena.written_once));
}

INSTANTIATE_TEST_SUITE_P(
    Stores, CfrontCertainty,
    ::testing::Values(
        Case{"guarded_by_data", "for (int i = 0; i < 8; ++i) { if (in[i] > 0) { out[i] = 1; } }", "[0, 8)", "{}", "{}"},
        Case{"both_branches", "for (int i = 0; i < 8; ++i) { if (in[i] > 0) { out[i] = 1; } else { out[i] = 2; } }",
             "[0, 8)", "{}", "{}"},
        Case{"after_both_branches",
             "for (int i = 0; i < 8; ++i) { int x; if (in[i] > 0) { x = 1; } else { x = in[0]; } out[i] = (int8_t)x; }",
             "[0, 8)", "[0, 8)", "[0, 8)"},
        Case{"guarded_by_index", "for (int i = 0; i < 8; ++i) { if (i != 3 && i < 6) { out[i] = 1; } }",
             "[0, 3) [4, 6)", "[0, 3) [4, 6)", "[0, 3) [4, 6)"},
        Case{"break_on_data", "for (int i = 0; i < 8; ++i) { if (in[i] < 0) { break; } out[i] = 1; }", "[0, 8)", "{}",
             "{}"},
        Case{"break_on_data_after_store", "for (int i = 0; i < 8; ++i) { out[i] = 1; if (in[i] < 0) { break; } }",
             "[0, 8)", "[0, 1)", "[0, 1)"},
        Case{"break_on_index", "for (int i = 0; i < 8; ++i) { if (i == 5) { break; } out[i] = 1; }", "[0, 5)", "[0, 5)",
             "[0, 5)"},
        Case{"exit_test_that_is_not_always_made",
             "for (int i = 0;; ++i) { out[i & 15] = 1; if (in[i & 7] > 0) { if (i >= 5) { break; } } }", "[0, 16)",
             "[0, 5)", "{}"},
        Case{"bounds_clamped_by_a_minimum",
             "for (int y = 0; y < 3; ++y) { int e = 2 < 4 - 2 * y ? 2 : 4 - 2 * y; for (int k = y > 0 ? 0 : 1; k < e; "
             "++k) { "
             "out[y * 8 + k] = 1; } }",
             "[1, 2) [8, 10)", "[1, 2) [8, 10)", "[1, 2) [8, 10)"},
        Case{"negative_step_by_two", "for (int i = 9; i > 0; i -= 2) { out[i] = 1; }",
             "[1, 2) [3, 4) [5, 6) [7, 8) [9, 10)", "[1, 2) [3, 4) [5, 6) [7, 8) [9, 10)",
             "[1, 2) [3, 4) [5, 6) [7, 8) [9, 10)"},
        Case{"three_levels_of_moving_pointer",
             "int8_t *p = out; for (int a = 0; a < 2; ++a) { for (int b = 0; b < 3; ++b) { for (int c = 0; c < 4; ++c) "
             "{ *p++ = "
             "1; } p++; } }",
             "[0, 4) [5, 9) [10, 14) [15, 19) [20, 24) [25, 29)", "[0, 4) [5, 9) [10, 14) [15, 19) [20, 24) [25, 29)",
             "[0, 4) [5, 9) [10, 14) [15, 19) [20, 24) [25, 29)"},
        // No formula tells that a window is never empty; unrolled, it is a number.
        Case{"return_on_an_empty_window",
             "for (int y = 0; y < 3; ++y) { int n = 0; for (int a = y > 0 ? 0 : 1; a < (2 < 4 - y ? 2 : 4 - y); ++a) { "
             "for (int b = 0; b < 3 - y; ++b) { out[60] = n == 0 ? in[b] : in[a]; ++n; } } if (n == 0) { return; } "
             "out[y] = (int8_t)n; }",
             "[0, 3) [60, 61)", "[0, 3) [60, 61)", "[0, 3)"},
        Case{"return_on_a_window_that_is_empty",
             "for (int y = 0; y < 3; ++y) { int n = 0; for (int a = 0; a < 2 - y; ++a) { for (int b = 0; b < 2; ++b) { "
             "++n; } } if (n == 0) { return; } out[y] = (int8_t)n; }",
             "[0, 2)", "[0, 2)", "[0, 2)"},
        Case{"return_on_data", "if (in[0]) { return; } for (int i = 0; i < 8; ++i) { out[i] = 1; }", "[0, 8)", "{}",
             "{}"},
        Case{"continue_on_data", "for (int i = 0; i < 8; ++i) { if (in[i]) { continue; } out[i] = 1; }", "[0, 8)", "{}",
             "{}"},
        Case{"while_on_data", "int i = 0; while (in[i] > 0) { out[i & 7] = 1; ++i; }", "[0, 8)", "{}", "{}"},
        Case{"trips_by_data", "for (int i = 0; i < in[0]; ++i) { out[i] = 1; }", "[0, 64)", "{}", "{}"},
        Case{"do_while", "int i = 0; do { out[i] = 1; ++i; } while (i < 5);", "[0, 5)", "[0, 5)", "[0, 5)"},
        Case{"written_twice",
             "for (int i = 0; i < 8; ++i) { out[i] = 0; } for (int i = 4; i < 12; ++i) { out[i] = 1; }", "[0, 12)",
             "[0, 12)", "[0, 4) [8, 12)"},
        Case{"overlapping_stores", "for (int i = 0; i < 4; ++i) { memset(out + 2 * i, 0, 4); }", "[0, 10)", "[0, 10)",
             "[0, 2) [8, 10)"},
        Case{"same_place_in_a_loop", "for (int i = 0; i < 8; ++i) { out[3] = in[i]; }", "[3, 4)", "[3, 4)", "{}"},
        Case{"accumulated_in_place", "for (int i = 0; i < 8; ++i) { out[i] = (int8_t)(out[i] + in[i]); }", "[0, 8)",
             "[0, 8)", "{}"},
        Case{"read_later", "for (int i = 0; i < 8; ++i) { out[i] = 1; } out[20] = out[5];", "[0, 8) [20, 21)",
             "[0, 8) [20, 21)", "[0, 5) [6, 8) [20, 21)"},
        Case{"two_dimensions_with_overlap",
             "for (int r = 0; r < 3; ++r) { for (int c = 0; c < 8; ++c) { out[r * 6 + c] = 1; } }", "[0, 20)",
             "[0, 20)", "[0, 6) [8, 12) [14, 20)"},
        Case{"inner_trips_by_outer",
             "for (int r = 0; r < 4; ++r) { for (int c = 0; c < r; ++c) { out[r * 4 + c] = 1; } }",
             "[4, 5) [8, 10) [12, 15)", "[4, 5) [8, 10) [12, 15)", "[4, 5) [8, 10) [12, 15)"},
        Case{"inner_loop_leaves_both",
             "for (int r = 0; r < 4; ++r) { for (int c = 0; c < 4; ++c) { if (in[c] == r) { return; } } out[r] = 1; }",
             "[0, 4)", "{}", "{}"},
        Case{"loop_that_never_runs", "for (int i = 5; i < 5; ++i) { out[i] = 1; } out[0] = 1;", "[0, 1)", "[0, 1)",
             "[0, 1)"},
        Case{"wider_store", "for (int i = 0; i < 4; ++i) { int32_t v = in[i]; memcpy(out + 4 * i, &v, 4); }", "[0, 16)",
             "[0, 16)", "[0, 16)"},
        Case{"goto_loop", "int i = 0; again: out[i] = 1; ++i; if (i < 6) { goto again; }", "[0, 6)", "[0, 6)",
             "[0, 6)"},
        Case{"switch_on_data",
             "switch (in[0]) { case 1: out[0] = 1; break; case 2: out[1] = 1; break; default: break; } out[2] = 1;",
             "[0, 3)", "[2, 3)", "[2, 3)"},
        Case{"wrapping_index", "for (uint8_t i = 250; i != 4; ++i) { out[i & 15] = 1; }", "[0, 4) [10, 16)",
             "[0, 4) [10, 16)", "[0, 4) [10, 16)"},
        Case{"unsigned_guard", "for (int i = -4; i < 12; ++i) { if ((unsigned)i < 8u) { out[i] = 1; } }", "[0, 8)",
             "[0, 8)", "[0, 8)"},
        Case{"pointer_chosen_by_data", "int8_t *p = in[0] ? out : out + 8; p[0] = 1;", "[0, 64)", "{}", "{}"},
        Case{"pointer_chosen_by_index", "for (int i = 0; i < 4; ++i) { int8_t *p = i < 2 ? out : out + 8; p[i] = 1; }",
             "[0, 2) [10, 12)", "[0, 2) [10, 12)", "[0, 2) [10, 12)"}),
    [](const ::testing::TestParamInfo<Case>& tested) { return tested.param.name; });

TEST(CfrontCertainty, ReadsThroughAnotherArgumentSpoilOnce) {
    const CodeModel model = model_of(R"(
        static void f(const int8_t *in, int8_t *out) { for (int i = 0; i < 8; ++i) { out[i] = in[i]; } }
        void net(int8_t arena[static 64]) { f(arena + 4, arena); }
    )");
    const Access arena = access_to(model, "arena");
    EXPECT_EQ(arena.reads.print(), "[4, 12)");
    EXPECT_EQ(arena.must_writes.print(), "[0, 8)");
    EXPECT_EQ(arena.written_once.print(), "[0, 4)");
}

}  // namespace
}  // namespace metamorph::cfront

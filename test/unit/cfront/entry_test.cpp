// The entry: its objects, steps and arguments, and the bodies that are refused.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

TEST(CfrontEntry, ReadsArgumentsAsObjectAndOffset) {
    const CodeModel model = model_of(R"(
        struct state { int32_t head; int8_t tail[8]; };
        static struct state g;
        static const float k_w[2] = {1.0f, 2.0f};
        void f(float *x, const float *w, int32_t n, void *none);
        void h(int8_t *p, int8_t *q) { p[0] = q[0]; }
        void net(const int8_t *input, int8_t *arena) {
            const int32_t n = 4 * 4;
            (void)input;
            f((float *)(void *)(arena + 64), k_w + 1, n, (void *)0);
            {
                h(&arena[2 * 16], g.tail + 3);
            }
            do { h(arena, &g.tail[1]); } while (0);
            return;
        }
        void f(float *x, const float *w, int32_t n, void *none) { (void)none; for (int32_t i = 0; i < n; ++i) { x[i] = w[0]; } }
    )");
    ASSERT_EQ(model.entry.steps.size(), 3U);
    const Step& f = model.entry.steps[0];
    EXPECT_EQ(f.callee, "f");
    EXPECT_EQ(f.text, "f((float *)(void *)(arena + 64), k_w + 1, n, (void *)0)");
    EXPECT_EQ(f.location.line, 11U);
    ASSERT_EQ(f.arguments.size(), 4U);
    EXPECT_EQ(f.arguments[0].kind, Argument::Kind::object);
    EXPECT_EQ(model.entry.objects[static_cast<std::size_t>(f.arguments[0].object)].name, "arena");
    EXPECT_EQ(f.arguments[0].offset, 64);
    EXPECT_EQ(f.arguments[0].cast_type, "float *");
    EXPECT_EQ(model.entry.objects[static_cast<std::size_t>(f.arguments[1].object)].name, "k_w");
    EXPECT_TRUE(model.entry.objects[static_cast<std::size_t>(f.arguments[1].object)].is_const);
    EXPECT_EQ(f.arguments[1].offset, 4);
    EXPECT_EQ(f.arguments[2].kind, Argument::Kind::constant);
    EXPECT_EQ(f.arguments[2].text, "n");
    EXPECT_EQ(f.arguments[3].kind, Argument::Kind::constant);
    EXPECT_EQ(model.entry.steps[1].arguments[0].offset, 32);
    EXPECT_EQ(model.entry.steps[1].arguments[1].offset, 7);
    EXPECT_EQ(model.entry.steps[2].arguments[1].offset, 5);
    EXPECT_EQ(access_to(model, "arena", 0).writes.print(), "[64, 128)");
    EXPECT_EQ(access_to(model, "g", 1).reads.print(), "[7, 8)");
}

TEST(CfrontEntry, AttributesAccessesToArguments) {
    const CodeModel model = model_of(R"(
        static int8_t g[4];
        static void f(const int8_t *a, const int8_t *b, int8_t *o) { o[0] = (int8_t)(a[0] + b[0]); g[1] = 1; }
        void net(int8_t arena[static 64]) { f(arena, arena + 8, arena + 16); }
    )");
    ASSERT_EQ(model.entry.steps.size(), 1U);
    const std::vector<Access>& accesses = model.entry.steps[0].accesses;
    ASSERT_EQ(accesses.size(), 4U);
    EXPECT_EQ(accesses[0].argument, 0);
    EXPECT_EQ(accesses[0].reads.print(), "[0, 1)");
    EXPECT_EQ(accesses[1].argument, 1);
    EXPECT_EQ(accesses[1].reads.print(), "[8, 9)");
    EXPECT_EQ(accesses[2].argument, 2);
    EXPECT_EQ(accesses[2].writes.print(), "[16, 17)");
    EXPECT_EQ(accesses[3].argument, -1);
    EXPECT_EQ(model.entry.objects[static_cast<std::size_t>(accesses[3].object)].name, "g");
}

TEST(CfrontEntry, KnowsItsParametersAndLocalArrays) {
    const CodeModel model = model_of(R"(
        static void f(const float *a, float *b) { for (int i = 0; i < 8; ++i) { b[i] = a[i]; } }
        void net(const float x[restrict 1][8], float y[restrict 1][8]) {
            float t[2][4];
            f(x[0], t[0]);
            f(t[0], y[0]);
        }
    )");
    ASSERT_EQ(model.entry.objects.size(), 3U);
    EXPECT_EQ(model.entry.objects[0].kind, ObjectKind::entry_parameter);
    EXPECT_EQ(model.entry.objects[0].element_type, "float");
    EXPECT_EQ(model.entry.objects[0].bytes, 32);
    EXPECT_FALSE(model.entry.objects[0].is_const);
    EXPECT_EQ(model.entry.objects[1].parameter, 1);
    EXPECT_EQ(model.entry.objects[2].kind, ObjectKind::entry_local);
    EXPECT_EQ(model.entry.objects[2].name, "t");
    EXPECT_EQ(model.entry.objects[2].element_type, "float");
    EXPECT_EQ(model.entry.objects[2].bytes, 32);
    EXPECT_EQ(access_to(model, "t", 0).written_once.print(), "[0, 32)");
    EXPECT_EQ(access_to(model, "t", 1).reads.print(), "[0, 32)");
}

struct Refusal {
    const char* body;
    const char* message;
};

class CfrontRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(CfrontRefusal, NamesThePlace) {
    Snippets snippets;
    snippets.add(
        "net.c",
        std::string("void f(int *p); int g(void); struct s { int a[9]; }; void by_value(struct s v); extern int n;\n"
                    "void net(int *p) {\n    f(p);\n    ") +
            GetParam().body + "\n}\nvoid f(int *p) { *p = 1; }\nint g(void) { return n; }\n");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::model);
    EXPECT_EQ(model.error().where.substr(0, 7), "net.c:4") << describe(model.error());
    EXPECT_NE(model.error().message.find(GetParam().message), std::string::npos) << describe(model.error());
}

INSTANTIATE_TEST_SUITE_P(Bodies, CfrontRefusal,
                         ::testing::Values(Refusal{"if (n) { f(p); }", "it holds a IfStmt"},
                                           Refusal{"for (int i = 0; i < 2; ++i) { f(p); }", "it holds a ForStmt"},
                                           Refusal{"p[1] = 2;", "it holds `p[1] = 2`"},
                                           Refusal{"int x = g(); (void)x;", "local 'x' is initialised by a call"},
                                           Refusal{"f(p + g());", "an argument of f is `p + g()`"},
                                           Refusal{"f(p + n);", "reads or writes memory itself"},
                                           Refusal{"int x = 3; f(&x);", "reads or writes memory itself"},
                                           Refusal{"struct s v = {{0}}; by_value(v);", "local 'v' is initialised"},
                                           Refusal{"struct s v; by_value(v);", "struct by value"},
                                           Refusal{"void (*q)(int *) = f; q(p);", "it calls through a pointer"}));

TEST(CfrontEntry, SuggestsTheNearestNames) {
    Snippets snippets;
    snippets.input().entry = "digits_invok";
    snippets.add("net.c", "void digits_invoke(int *p) { (void)p; } void other(void) {}");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::model);
    EXPECT_EQ(model.error().hint, "the nearest names are: digits_invoke, other");
}

TEST(CfrontEntry, ReportsASourceThatIsNotThere) {
    Snippets snippets;
    snippets.input().sources.push_back("missing.c");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::model);
    EXPECT_EQ(model.error().where, "missing.c");
}

}  // namespace
}  // namespace metamorph::cfront

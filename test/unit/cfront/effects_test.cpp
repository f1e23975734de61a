// What each function reads and writes, through calls, pointers and recursion.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

using Names = std::vector<std::string>;
using Indices = std::vector<unsigned>;

TEST(CfrontEffects, GoThroughCallsAndRecursion) {
    const CodeModel model = model_of(R"(
        static int a, b, c;
        static void leaf(int *p, int *q) { *p = a; b = *q; }
        static void middle(int *x, int *y) { leaf(&c, x); leaf(y, &a); }
        static void odd(int n, int *p);
        static void even(int n, int *p) { if (n) { odd(n - 1, p); } }
        static void odd(int n, int *p) { *p = n; if (n) { even(n - 1, p); } }
        void net(int p[static 2]) { middle(p, p + 1); even(3, p); }
    )");
    EXPECT_EQ(model.function("leaf")->reads_globals, Names{"a"});
    EXPECT_EQ(model.function("leaf")->writes_globals, Names{"b"});
    EXPECT_EQ(model.function("middle")->writes_globals, (Names{"b", "c"}));
    EXPECT_EQ(model.function("middle")->reads_parameters, Indices{0});
    EXPECT_EQ(model.function("middle")->writes_parameters, Indices{1});
    EXPECT_EQ(model.function("even")->writes_parameters, Indices{1});
    EXPECT_FALSE(model.function("even")->calls_through_pointer);
    EXPECT_EQ(model.function("net")->calls, (Names{"middle", "even"}));
}

TEST(CfrontEffects, APointerOfUnknownOriginMayLeadToAnythingExposed) {
    const CodeModel model = model_of(R"(
        static int hidden, exposed;
        int visible;
        int *cursor = &exposed;
        static void through(int *p) { *cursor = 1; hidden += *p; }
        void net(int p[static 2]) { through(p); }
    )");
    EXPECT_EQ(model.function("through")->writes_globals, (Names{"cursor", "exposed", "hidden", "visible"}));
    EXPECT_EQ(model.function("through")->writes_parameters, Indices{0});
}

TEST(CfrontEffects, UnknownCallsAreTold) {
    const CodeModel model = model_of(R"(
        void elsewhere(int *p);
        int visible;
        static int hidden;
        static void by_pointer(void (*f)(int *), int *p) { f(p); hidden = 1; }
        static void by_declaration(int *p) { elsewhere(p); }
        static void by_assembly(void) { __asm__ volatile("" ::: "memory"); }
        void net(int p[static 2]) { by_pointer(elsewhere, p); by_declaration(p); by_assembly(); }
    )");
    EXPECT_TRUE(model.function("by_pointer")->calls_through_pointer);
    EXPECT_EQ(model.function("by_pointer")->writes_globals, (Names{"hidden", "visible"}));
    EXPECT_EQ(model.function("by_pointer")->writes_parameters, (Indices{0, 1}));
    EXPECT_FALSE(model.function("by_declaration")->calls_through_pointer);
    EXPECT_EQ(model.function("by_declaration")->calls, Names{"elsewhere"});
    EXPECT_EQ(model.function("by_declaration")->writes_globals, Names{"visible"});
    EXPECT_TRUE(model.function("by_assembly")->calls_through_pointer);
    const Function* declared = model.function("elsewhere");
    ASSERT_NE(declared, nullptr);
    EXPECT_FALSE(declared->is_defined);
    EXPECT_EQ(declared, &model.functions.back());
}

}  // namespace
}  // namespace metamorph::cfront

// Functions, parameters, variables, calls: what the front end says of declarations.
#include "snippets.h"

namespace metamorph::cfront {
namespace {

const Variable* variable(const CodeModel& model, const std::string& name) {
    for (const Variable& v : model.variables) {
        if (v.qualified_name() == name) {
            return &v;
        }
    }
    return nullptr;
}

TEST(CfrontDeclarations, DescribesFunctionsAndTheirParameters) {
    const CodeModel model = model_of(R"(
        static int32_t helper(int32_t x) { return x + 1; }
        static inline void unused(float *p) { p[0] = 1.0f; }
        void kernel(const int8_t in[static 490], int8_t out[12], const float x[restrict 1][8][8], float *scale, int32_t n) {
            out[0] = (int8_t)(in[0] + helper(n) + helper(1) + (int32_t)x[0][1][1] + (int32_t)scale[0]);
        }
        void net(int8_t a[static 600]) { kernel(a, a + 500, 0, 0, 3); }
    )");
    const Function* kernel = model.function("kernel");
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->location.file, "net.c");
    EXPECT_EQ(kernel->location.line, 5U);
    EXPECT_EQ(kernel->return_type, "void");
    EXPECT_FALSE(kernel->is_static);
    ASSERT_EQ(kernel->parameters.size(), 5U);
    EXPECT_EQ(kernel->parameters[0].name, "in");
    EXPECT_EQ(kernel->parameters[0].type, "const int8_t[static 490]");
    EXPECT_EQ(kernel->parameters[0].element_type, "const int8_t");
    EXPECT_TRUE(kernel->parameters[0].is_const);
    EXPECT_EQ(kernel->parameters[0].extent_bytes, 490);
    EXPECT_EQ(kernel->parameters[1].extent_bytes, 12);
    EXPECT_FALSE(kernel->parameters[1].is_const);
    EXPECT_EQ(kernel->parameters[2].extent_bytes, 256);
    EXPECT_EQ(kernel->parameters[2].element_bytes, 4);
    EXPECT_TRUE(kernel->parameters[3].is_pointer);
    EXPECT_FALSE(kernel->parameters[3].extent_bytes.has_value());
    EXPECT_FALSE(kernel->parameters[4].is_pointer);
    EXPECT_EQ(kernel->calls, std::vector<std::string>{"helper"});
    EXPECT_EQ(kernel->reads_parameters, (std::vector<unsigned>{0, 2, 3}));
    EXPECT_EQ(kernel->writes_parameters, std::vector<unsigned>{1});
    // An unused inline function is a definition, too, and its effects are known.
    const Function* unused = model.function("unused");
    ASSERT_NE(unused, nullptr);
    EXPECT_TRUE(unused->is_static && unused->is_inline);
    EXPECT_EQ(unused->writes_parameters, std::vector<unsigned>{0});
}

TEST(CfrontDeclarations, DescribesVariablesStaticsAndStaticLocals) {
    const CodeModel model = model_of(R"(
        int32_t counter = 7;
        static float buffer[4][2];
        const int8_t weights[3] = {1, 2, 3};
        extern const int16_t elsewhere[5];
        struct pair { int8_t a; int32_t b; } pairs[2];
        void step(int8_t *p) { static int16_t calls; static int8_t seed = 3; calls++; *p = (int8_t)(calls + seed + elsewhere[0]); }
        void net(int8_t a[static 4]) { step(a); }
    )");
    ASSERT_NE(variable(model, "counter"), nullptr);
    EXPECT_TRUE(variable(model, "counter")->has_initializer);
    EXPECT_EQ(variable(model, "counter")->bytes, 4);
    ASSERT_NE(variable(model, "buffer"), nullptr);
    EXPECT_TRUE(variable(model, "buffer")->is_static);
    EXPECT_FALSE(variable(model, "buffer")->has_initializer);
    EXPECT_EQ(variable(model, "buffer")->bytes, 32);
    EXPECT_TRUE(variable(model, "weights")->is_const);
    EXPECT_FALSE(variable(model, "elsewhere")->is_defined);
    EXPECT_EQ(variable(model, "elsewhere")->bytes, 10);
    EXPECT_EQ(variable(model, "pairs")->bytes, 16);
    ASSERT_NE(variable(model, "step.calls"), nullptr);
    EXPECT_EQ(variable(model, "step.calls")->local_to, "step");
    EXPECT_EQ(variable(model, "step.calls")->location.line, 8U);
    EXPECT_TRUE(variable(model, "step.seed")->has_initializer);
    EXPECT_EQ(model.function("step")->reads_globals,
              (std::vector<std::string>{"elsewhere", "step.calls", "step.seed"}));
    EXPECT_EQ(model.function("step")->writes_globals, std::vector<std::string>{"step.calls"});
}

TEST(CfrontDeclarations, TellsStaticsOfTwoSourcesApart) {
    Snippets snippets;
    snippets.add(
        "a.c",
        "static int state[2]; static void f(int *p) { p[0] = state[0]; } void a(int *p) { f(p); state[1] = 1; }");
    snippets.add(
        "b.c",
        "static char state[5]; static void f(int *p) { p[1] = state[0]; } void b(int *p) { f(p); state[3] = 1; }");
    snippets.add("net.c", "void a(int *); void b(int *); void net(int p[static 2]) { a(p); b(p); }");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_EQ(access_to(*model, "p", 0).writes.print(), "[0, 4)");
    EXPECT_EQ(access_to(*model, "p", 1).writes.print(), "[4, 8)");
    EXPECT_EQ(access_to(*model, "state", 0).writes.print(), "[4, 8)");
    EXPECT_EQ(access_to(*model, "state", 1).writes.print(), "[3, 4)");
    EXPECT_EQ(model->functions.size(), 5U);
}

TEST(CfrontDeclarations, AVariableIsWhereItsDefinitionIs) {
    Snippets snippets;
    snippets.add("w.h", "extern const signed char w[2];\n");
    snippets.add(
        "net.c",
        "#include \"w.h\"\nvoid f(signed char *p) { p[0] = w[1]; }\nvoid net(signed char p[static 1]) { f(p); }");
    snippets.add("w.c", "#include \"w.h\"\n\nconst signed char w[2] = {1, 2};\n");
    // The entry need not be in the last source.
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_TRUE(model) << describe(model.error());
    ASSERT_NE(variable(*model, "w"), nullptr);
    EXPECT_TRUE(variable(*model, "w")->is_defined);
    EXPECT_EQ(variable(*model, "w")->location.file, "w.c");
    EXPECT_EQ(variable(*model, "w")->location.line, 3U);
    EXPECT_EQ(model->entry.steps.size(), 1U);
}

TEST(CfrontDeclarations, AnInlineFunctionOfAHeaderIsOneFunction) {
    Snippets snippets;
    snippets.add("q.h", "static inline int q(int x) { return x * 2; }\n");
    snippets.add("a.c", "#include \"q.h\"\nvoid a(int *p) { p[0] = q(1); }");
    snippets.add("net.c", "#include \"q.h\"\nvoid a(int *); void net(int p[static 2]) { a(p); }");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_EQ(model->functions.size(), 3U);
    ASSERT_NE(model->function("q"), nullptr);
    EXPECT_EQ(model->function("q")->location.file, "q.h");
}

TEST(CfrontDeclarations, RecordsAMissingHeaderAndGoesOn) {
    Snippets snippets;
    snippets.add("net.c", "#include \"vendor.h\"\nvoid net(int p[static 1]) { (void)p; }");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_TRUE(model) << describe(model.error());
    ASSERT_EQ(model->recoveries.size(), 1U);
    EXPECT_EQ(model->recoveries[0].location.line, 1U);
    EXPECT_EQ(model->recoveries[0].message, "header 'vendor.h' is missing and was read as empty");
}

TEST(CfrontDeclarations, GivesTheFirstErrorWithItsPlace) {
    Snippets snippets;
    snippets.add("net.c", "#include \"vendor.h\"\nvoid net(vendor_t *p) { }\n");
    const Result<CodeModel> model = snippets.analyse();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::model);
    EXPECT_EQ(model.error().where, "net.c:2:10");
    EXPECT_NE(model.error().message.find("vendor_t"), std::string::npos);
    EXPECT_NE(model.error().hint.find("vendor.h"), std::string::npos);
}

TEST(CfrontDeclarations, PrintsTheModel) {
    const CodeModel model = model_of(R"(
        static int8_t state[4];
        static void step(const int8_t *in, int8_t *out) { out[0] = in[1]; state[2] = 1; }
        void net(const int8_t input[static 2], int8_t output[static 1]) { step(input, output); }
    )");
    const std::string text = print(model);
    EXPECT_NE(text.find("function void step(const int8_t * in, int8_t * out)  net.c:4 static"), std::string::npos)
        << text;
    EXPECT_NE(text.find("    step 0  step(input, output)  net.c:5"), std::string::npos) << text;
    EXPECT_NE(text.find("        input by argument 0: reads [1, 2)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("        output by argument 1: writes [0, 1) surely once\n"), std::string::npos) << text;
    EXPECT_NE(text.find("        state directly: writes [2, 3) surely once\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace metamorph::cfront

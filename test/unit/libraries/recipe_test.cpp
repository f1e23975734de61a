#include "libraries/recipe.h"

#include "unit/libraries/sample_description.h"

namespace metamorph::libraries {
namespace {

SourceTree tree() {
    return tree_of_files({{"src/a.c", "a"},
                          {"src/b.c", "b"},
                          {"src/deep/c.c", "c"},
                          {"src/broken_d.c", "d"},
                          {"include/k.h", "k"},
                          {"README", "r"}},
                         "the tree");
}

Target target(const std::string& toolchain = "gcc") {
    return {"m4", toolchain, "cortex-m4f", "bus", "cc", {}, {"-mcpu=cortex-m4"}};
}

TEST(PathPattern, MatchesWholePaths) {
    EXPECT_TRUE(matches("src/*.c", "src/a.c"));
    EXPECT_FALSE(matches("src/*.c", "src/deep/a.c"));
    EXPECT_FALSE(matches("*.c", "src/a.c"));
    EXPECT_TRUE(matches("**/*.c", "a.c"));
    EXPECT_TRUE(matches("**/*.c", "x/y/a.c"));
    EXPECT_TRUE(matches("src/**/a?.c", "src/ab.c"));
    EXPECT_TRUE(matches("src/**", "src/x/y"));
    EXPECT_FALSE(matches("src/**/x/*.c", "src/yx/a.c"));
    EXPECT_FALSE(matches("a.c", "a.cc"));
    EXPECT_FALSE(matches("src/?.c", "src//c"));
}

TEST(Recipe, HasWhatTheDescriptionSays) {
    const app::Library kernels = sample_libraries()[0];
    const auto recipe = resolve(kernels, target(), {}, tree());
    ASSERT_TRUE(recipe) << recipe.error().message;
    EXPECT_EQ(recipe->sources, (std::vector<std::string>{"src/a.c", "src/b.c", "src/deep/c.c"}));
    EXPECT_EQ(recipe->files.at("include/config.h"), "#define CONFIG 1\n");
    EXPECT_EQ(recipe->files.at("include/k.h"), "k");
    EXPECT_EQ(recipe->files.size(), 5U);  // nothing that no pattern names
    EXPECT_EQ(recipe->own_flags.at("src/b.c"), std::vector<std::string>{"-Os"});
    EXPECT_EQ(recipe->flags, (std::vector<std::string>{"-O2", "-g"}));
    const auto clang = resolve(kernels, target("clang"), {"debug"}, tree());
    EXPECT_EQ(clang->flags, (std::vector<std::string>{"-O2", "-g", "-fno-unroll-loops", "-O0"}));
    EXPECT_EQ(clang->files.at("include/config.h"), "#define CONFIG 2\n");
}

TEST(Recipe, EveryPatternThatMatchesNothingIsNamed) {
    const app::Library kernels = sample_libraries()[0];
    const SourceTree small = tree_of_files({{"src/a.c", "a"}, {"include/k.hpp", "k"}}, "the tree");
    const auto recipe = resolve(kernels, target(), {}, small);
    ASSERT_FALSE(recipe);
    EXPECT_EQ(recipe.error().code, ErrorCode::options);
    EXPECT_EQ(recipe.error().where, "library 'kernels'");
    EXPECT_EQ(recipe.error().message, "no file matches 'src/broken*.c' (exclude), 'src/b.c' (source_flags)");
    app::Library other = kernels;
    other.part.sources = {"include/**"};
    other.part.exclude.clear();
    other.part.source_flags.clear();
    EXPECT_NE(resolve(other, target(), {}, tree()).error().message.find("neither C, C++ nor assembly"),
              std::string::npos);
}

TEST(Recipe, FeaturesRequireAndExclude) {
    const app::Library kernels = sample_libraries()[0];
    EXPECT_EQ(*features_of(kernels, {"trace", "unknown"}), (std::vector<std::string>{"debug", "trace"}));
    const auto both = features_of(kernels, {"strip", "trace"});
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().message, "the features 'debug' and 'strip' exclude each other");
}

}  // namespace
}  // namespace metamorph::libraries

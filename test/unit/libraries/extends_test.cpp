// Libraries that extend others: what comes out, and what is refused.
#include "unit/libraries/sample_description.h"

namespace metamorph::libraries {
namespace {

using Texts = std::vector<std::string>;

Result<std::vector<app::Library>> extended_by(const std::string& text) {
    std::vector<app::Library> libraries = sample_libraries();
    MM_TRY(const app::Framework framework,
           app::read_framework("name = \"mine\"\ndescription = \"x\"\n\n" + text, "mine/framework.toml"));
    libraries.insert(libraries.end(), framework.libraries.begin(), framework.libraries.end());
    return app::extended(std::move(libraries));
}

TEST(Extends, AddsBehindWhatTheBaseHasAndTakesAwayByName) {
    const auto all = extended_by(R"([[library]]
name = "mine"
extends = "kernels"
source = "/somewhere"
sources = ["more/*.c"]
flags = ["-O3"]
hooks = ["more"]
[library.without]
sources = ["src/**/*.c"]
exclude = ["src/broken*.c"]
flags = ["-fno-unroll-loops", "-g"]
generated = ["include/config.h"]
[[library.feature]]
name = "debug"
description = "ours"
excludes = ["wide"]
flags = ["-g3"]
[[library.feature]]
name = "wide"
description = "new"
requires = ["strip"]
[[library.when]]
features = ["trace"]
defines = ["TRACE_OF_OURS"]
)");
    ASSERT_TRUE(all) << all.error().where << all.error().message;
    ASSERT_EQ(all->size(), 3U);
    const app::Library& mine = all->back();
    EXPECT_EQ(mine.name, "mine");
    EXPECT_EQ(mine.framework, "mine");
    EXPECT_EQ(mine.description, "all kinds of keys");
    EXPECT_EQ(mine.source.path, "/somewhere");
    EXPECT_EQ(mine.part.sources, Texts{"more/*.c"});
    EXPECT_EQ(mine.part.exclude, Texts{});
    EXPECT_EQ(mine.part.flags, (Texts{"-O2", "-O3"}));
    EXPECT_EQ(mine.part.needs, Texts{"base"});
    EXPECT_EQ(mine.part.generated.size(), 0U);
    EXPECT_EQ(mine.conditions.at(0).part.flags, Texts{});
    EXPECT_EQ(mine.conditions.at(1).part.defines, Texts{"TRACE_OF_OURS"});
    EXPECT_EQ(mine.hooks, (Texts{"log_text", "more"}));
    EXPECT_EQ(mine.feature("debug")->description, "ours");
    EXPECT_EQ(mine.feature("debug")->excludes, (Texts{"strip", "wide"}));
    EXPECT_EQ(mine.feature("debug")->part.flags, (Texts{"-O0", "-g3"}));
    EXPECT_EQ(mine.feature("wide")->requires_features, Texts{"strip"});
    EXPECT_EQ(all->front().part.flags, (Texts{"-O2", "-g"})) << "the base is as it was";
}

TEST(Extends, OfAnExtensionTheNextMayExtend) {
    const auto all = extended_by(
        "[[library]]\nname = \"second\"\nextends = \"first\"\nflags = [\"-O3\"]\n"
        "[[library]]\nname = \"first\"\nextends = \"base\"\nflags = [\"-Os\"]\n"
        "targets = { cores = [\"host\"] }\n");
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ((*all)[2].part.flags, (Texts{"-Os", "-O3"}));
    EXPECT_EQ((*all)[2].part.sources, Texts{"base.c"});
    EXPECT_EQ((*all)[2].targets.cores, Texts{"host"});
    EXPECT_EQ((*all)[2].source.path, "tree");
}

TEST(Extends, WhatIsWrongIsTold) {
    struct Case {
        std::string text, where, message, hint;
    };
    const std::string start = "[[library]]\nname = \"mine\"\n";
    const std::vector<Case> cases{
        {start + "extends = \"kernel\"\n", "mine/framework.toml:5:1", "extends 'kernel', and there is no such library",
         "did you mean 'kernels'?"},
        {start + "extends = \"kernels\"\nwithout = { flags = [\"-O9\"] }\n", "mine/framework.toml:5:1",
         "without.flags of 'mine': 'kernels' has no '-O9'", "did you mean '-O2'"},
        {start + "extends = \"base\"\nwithout = { patches = [\"x\"] }\n", "mine/framework.toml:5:1", "has no 'x'",
         "it has no patches"},
        {start + "extends = \"kernels\"\nwithout = { flag = [\"-O2\"] }\n",
         "mine/framework.toml:7:", "no key 'library[0].without.flag'", "did you mean 'flags'?"},
        {start + "extends = \"base\"\nwithout = { sources = [\"base.c\"], exports = [\"base\"] }\n",
         "mine/framework.toml:5:1", "has no sources", "sources of your own"},
        {start + "description = \"x\"\nsource = \"x\"\nsources = [\"x.c\"]\nwithout = { flags = [\"-O2\"] }\n",
         "mine/framework.toml:9:1", "none is extended", "extends ="},
        {start + "extends = \"kernels\"\n[[library.when]]\nfeatures = [\"debgu\"]\nflags = [\"-O1\"]\n",
         "mine/framework.toml:5:1", "'debgu' is no feature of 'mine'", "did you mean 'debug'?"},
        {start + "extends = \"other\"\n[[library]]\nname = \"other\"\nextends = \"mine\"\n",
         "mine/framework.toml:", "extends itself: mine, other", "stand on its own"},
    };
    for (const Case& c : cases) {
        const auto all = extended_by(c.text);
        ASSERT_FALSE(all) << c.text;
        EXPECT_EQ(all.error().code, ErrorCode::options);
        EXPECT_TRUE(all.error().where.starts_with(c.where)) << c.text << ": " << all.error().where;
        EXPECT_NE(all.error().message.find(c.message), std::string::npos) << c.text << ": " << all.error().message;
        EXPECT_NE(all.error().hint.find(c.hint), std::string::npos) << c.text << ": " << all.error().hint;
    }
}

}  // namespace
}  // namespace metamorph::libraries

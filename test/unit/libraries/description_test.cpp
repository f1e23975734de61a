// Descriptions of libraries that are wrong: where, what, and what to do.
#include "unit/libraries/sample_description.h"

namespace metamorph::libraries {
namespace {

std::string changed(const std::string& from, const std::string& to) {
    std::string text = k_description;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(LibraryDescription, IsRead) {
    const std::vector<app::Library> libraries = sample_libraries();
    ASSERT_EQ(libraries.size(), 2U);
    const app::Library& kernels = libraries[0];
    EXPECT_EQ(kernels.framework, "sample");
    EXPECT_EQ(kernels.source.kind, app::LibrarySource::Kind::folder);
    EXPECT_EQ(kernels.part.flags, (std::vector<std::string>{"-O2", "-g"}));
    ASSERT_EQ(kernels.features.size(), 3U);
    EXPECT_EQ(kernels.feature("trace")->requires_features, std::vector<std::string>{"debug"});
    EXPECT_EQ(kernels.conditions.at(0).targets.cores, std::vector<std::string>{"cortex-m4f"});
    EXPECT_EQ(kernels.hooks, std::vector<std::string>{"log_text"});
}

TEST(LibraryDescription, OneWithLibrariesAloneIsNoGenerator) {
    EXPECT_FALSE(app::read_framework(k_description, "f.toml")->is_generator);
    const auto found = app::find_framework("metamorph-runtime");
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find("no generator"), std::string::npos);
    const std::vector<std::string> names = app::framework_names();
    EXPECT_EQ(std::count(names.begin(), names.end(), "metamorph-runtime"), 0);
    EXPECT_GT(std::count(names.begin(), names.end(), "emlearn"), 0);
}

TEST(LibraryDescription, OursAreRight) {
    const auto libraries = app::find_libraries();
    ASSERT_TRUE(libraries) << libraries.error().where << libraries.error().message;
    const auto is_runtime = [](const app::Library& library) { return library.name == "metamorph-runtime"; };
    EXPECT_EQ(std::count_if(libraries->begin(), libraries->end(), is_runtime), 1);
}

TEST(LibraryDescription, WhatIsWrongIsToldWithLineAndColumn) {
    struct Case {
        std::string from, to, where, message, hint;
    };
    const std::vector<Case> cases{
        {"exclude = ", "exclud = ", "f.toml:9:1", "there is no key 'library[0].exclud'", "did you mean 'exclude'?"},
        {"sources = [\"base.c\"]\nheaders = [\"base/*.h\"]\ninclude_dirs = [\"base\"]\nexports = [\"base\"]", "",
         "f.toml:43:1", "has no sources", "patterns"},
        {"kind = \"folder\", path = \"tree\" }\nsources = [\"src",
         "kind = \"foldr\", path = \"tree\" }\nsources = [\"src", "f.toml:7:12", "'foldr'", "did you mean 'folder'?"},
        {"[\"-O2\", \"-g\"]", "[\"-O2\", \"-I/usr/include\"]", "f.toml:14:1", "reads files that no key covers",
         "include_dirs"},
        {"[\"-O2\", \"-g\"]", "[\"-O2 -g\", \"x\"]", "f.toml:14:1", "'x' is no flag", "one flag a text"},
        {"[\"include/*.h\"]", "[\"../include/*.h\"]", "f.toml:10:1", "does not stay below", "relative"},
        {"cores = [\"cortex-m4f\"]", "cores = [\"cortex-m4\"]", "f.toml:23:1", "'cortex-m4' is no core",
         "did you mean 'cortex-m4f'?"},
        {"toolchains = [\"clang\"]\ncores = [\"cortex-m4f\"]", "", "f.toml:21:", "has no condition", "toolchains"},
        {"excludes = [\"strip\"]", "excludes = [\"stripp\"]", "f.toml:29:1", "'stripp' is no feature",
         "did you mean 'strip'?"},
        {"name = \"strip\"", "name = \"debug\"", "f.toml:34:1", "two features 'debug'", "rename"},
        {"name = \"base\"", "name = \"kernels\"", "f.toml:44:1", "two libraries 'kernels'", "rename"},
        {"needs = [\"base\"]", "needs = [\"base\"]\npatches = [\"no.patch\"]", "f.toml:19:1",
         "'no.patch' cannot be read", "beside the description"},
        {"needs = [\"base\"]", "needs = [\"base\"]\ntargets = { cores = [\"cortex-m4\"] }", "f.toml:19:13",
         "'cortex-m4' is no core", "did you mean 'cortex-m4f'?"},
        {"needs = [\"base\"]", "needs = [\"base\"]\ntargets = { reason = \"x\" }", "f.toml:19:1", "leave out none",
         "it is for all"},
        {"text = \"#define CONFIG 1\\n\"", "text = \"x\", from = \"y\"", "f.toml:17:", "either 'text' or 'from'",
         "text ="},
        {"description = \"libraries for tests\"", "description = \"libraries for tests\"\nentry = 1", "f.toml:3:1",
         "there is no key 'entry'", "the keys are"},
    };
    for (const Case& c : cases) {
        const auto read = app::read_framework(changed(c.from, c.to), "f.toml");
        ASSERT_FALSE(read) << c.to;
        EXPECT_EQ(read.error().code, ErrorCode::options);
        EXPECT_TRUE(read.error().where.starts_with(c.where)) << c.to << ": " << read.error().where;
        EXPECT_NE(read.error().message.find(c.message), std::string::npos) << c.to << ": " << read.error().message;
        EXPECT_NE(read.error().hint.find(c.hint), std::string::npos) << c.to << ": " << read.error().hint;
    }
}

}  // namespace
}  // namespace metamorph::libraries

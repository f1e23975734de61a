// The key by table: each of its fields, changed alone, misses; what is not in it, changed alone, hits.
#include <cstdlib>
#include <fstream>

#include "libraries/provide.h"
#include "unit/libraries/fake_toolchain.h"
#include "unit/libraries/sample_description.h"
#include "util/file.h"
#include "util/interrupt.h"

namespace metamorph::libraries {
namespace {

namespace fs = std::filesystem;

// Everything that a build is made from.
struct World {
    std::string description = k_description;
    std::map<std::string, std::string> tree{{"src/a.c", "a"},     {"src/b.c", "b"},   {"src/broken.c", "d"},
                                            {"include/k.h", "k"}, {"base.c", "base"}, {"base/base.h", "h"},
                                            {"README", "r"}};
    std::string version;
    Request request{{"kernels"}, {}, {"m4", "gcc", "cortex-m4f", "bus", "cc", {}, {"-mcpu=cortex-m4", "-mthumb"}}, 1};
    std::map<std::string, std::string> toolchain_files;  // below the toolchain's folder
    std::map<std::string, std::string> answers;

    void edit(const std::string& from, const std::string& to) {
        const std::size_t at = description.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        description.replace(at, from.size(), to);
    }
};

using Change = std::function<void(World&)>;

class KeyTest : public testing::Test {
protected:
    void SetUp() override {
        auto made = ScratchFolder::make("key-test");
        ASSERT_TRUE(made);
        m_scratch.emplace(std::move(*made));
        ASSERT_TRUE(write_files(m_scratch->path() / "sample", {{"fix.patch", "--- a\n+++ b\n"}}));
    }

    // The last one provided, from the store of this test.
    Result<Provided> provide(const Change& change, const std::string& toolchain_folder = "toolchain") {
        World world;
        change(world);
        const std::vector<app::Library> libraries =
            sample_libraries(world.description, (m_scratch->path() / "sample/framework.toml").string());
        FakeToolchain toolchain(m_scratch->path() / toolchain_folder);
        for (const auto& [path, contents] : world.toolchain_files) {
            MM_CHECK(write_file_if_changed(toolchain.folder / path, contents));
        }
        for (const auto& [question, answer] : world.answers) {
            toolchain.answers[question] = answer;
        }
        const auto disk = store::make_real_disk();
        const auto clock = store::make_real_clock();
        store::Store store(m_scratch->path() / "store", *disk, *clock, "key-test");
        const auto find_tree = [&](const app::Library&) -> Result<SourceTree> {
            SourceTree tree = tree_of_files(world.tree, "the tree");
            tree.version = world.version;
            return tree;
        };
        Provider provider(libraries, store, *disk, toolchain, find_tree);
        auto provided = provider.provide(world.request);
        scans = toolchain.scans;
        compilations = toolchain.compilations;
        if (!provided) {
            return tl::unexpected<Error>(provided.error());
        }
        return provided->back();
    }

    std::optional<ScratchFolder> m_scratch;
    int scans = 0, compilations = 0;
};

const std::vector<std::pair<std::string, Change>> k_in_the_key{
    {"driver", [](World& w) { w.toolchain_files["bin/cc"] = "other"; }},
    {"cc1", [](World& w) { w.toolchain_files["bin/cc1"] = "other"; }},
    {"assembler", [](World& w) { w.toolchain_files["bin/as"] = "other"; }},
    {"archiver", [](World& w) { w.toolchain_files["bin/ar"] = "other"; }},
    {"a library of the compiler", [](World& w) { w.toolchain_files["lib/libx.so"] = "other"; }},
    {"a header of the C library", [](World& w) { w.toolchain_files["include/stdint.h"] = "other"; }},
    {"machine", [](World& w) { w.answers["-dumpmachine"] = "other\n"; }},
    {"version", [](World& w) { w.answers["--version"] = "fake 1.1\n"; }},
    {"specs", [](World& w) { w.answers["-dumpspecs"] = "other\n"; }},
    {"multilib", [](World& w) { w.answers["-print-multi-directory"] = "other\n"; }},
    {"macros", [](World& w) { w.answers["-dM"] = "#define __OTHER__ 1\n"; }},
    {"a flag of the target", [](World& w) { w.request.target.flags[0] = "-mcpu=cortex-m7"; }},
    {"order of flags of the target", [](World& w) { std::swap(w.request.target.flags[0], w.request.target.flags[1]); }},
    {"a condition's flag", [](World& w) { w.edit("[\"clang\"]", "[\"gcc\"]"); }},
    {"a flag", [](World& w) { w.edit("\"-O2\"", "\"-O3\""); }},
    {"order of flags", [](World& w) { w.edit("\"-O2\", \"-g\"", "\"-g\", \"-O2\""); }},
    {"a flag for C", [](World& w) { w.edit("-std=c11", "-std=c99"); }},
    {"a flag of a source", [](World& w) { w.edit("\"-Os\"", "\"-O1\""); }},
    {"which source has it", [](World& w) { w.edit("[\"src/b.c\"], flags", "[\"src/a.c\"], flags"); }},
    {"a define", [](World& w) { w.edit("SIZE=4", "SIZE=5"); }},
    {"order of defines", [](World& w) { w.edit("\"SIZE=4\", \"FAST\"", "\"FAST\", \"SIZE=4\""); }},
    {"an include folder", [](World& w) { w.edit("[\"include\", \"src\"]", "[\"include\"]"); }},
    {"order of include folders", [](World& w) { w.edit("[\"include\", \"src\"]", "[\"src\", \"include\"]"); }},
    {"what is exported", [](World& w) { w.edit("exports = [\"include\"]", "exports = [\"include\", \"src\"]"); }},
    {"a generated header", [](World& w) { w.edit("CONFIG 1", "CONFIG 3"); }},
    {"a source's contents", [](World& w) { w.tree["src/a.c"] = "other"; }},
    {"a header's contents", [](World& w) { w.tree["include/k.h"] = "other"; }},
    {"a source more", [](World& w) { w.tree["src/c.c"] = "c"; }},
    {"a header more", [](World& w) { w.tree["include/m.h"] = "m"; }},
    {"a source that is excluded no more",
     [](World& w) { w.edit("broken*.c", "b.c"), w.edit("src/b.c\"], fl", "src/a.c\"], fl"); }},
    {"a patch", [](World& w) { w.edit("needs = [\"base\"]", "needs = [\"base\"]\npatches = [\"fix.patch\"]"); }},
    {"version of the source", [](World& w) { w.version = "1.2.3"; }},
    {"a feature", [](World& w) { w.request.features = {"strip"}; }},
    {"a feature without effect", [](World& w) { w.request.features = {"trace"}; }},
    {"contents of what it needs", [](World& w) { w.tree["base.c"] = "other"; }},
    {"a header of what it needs", [](World& w) { w.tree["base/base.h"] = "other"; }},
    {"needs", [](World& w) { w.edit("needs = [\"base\"]", "needs = []"); }},
};

const std::vector<std::pair<std::string, Change>> k_outside{
    {"nothing", [](World&) {}},
    {"jobs", [](World& w) { w.request.jobs = 7; }},
    {"the device's name", [](World& w) { w.request.target.device = "other"; }},
    {"packages of the compiler", [](World& w) { w.request.target.packages = {"gcc"}; }},
    {"a file that no pattern names", [](World& w) { w.tree["README"] = "other"; }},
    {"a source that is excluded", [](World& w) { w.tree["src/broken.c"] = "other"; }},
    {"a description", [](World& w) { w.edit("all kinds of keys", "other"); }},
    {"a comment", [](World& w) { w.description += "# other\n"; }},
    {"hooks", [](World& w) { w.edit("log_text", "log_line"); }},
    {"a feature that it has not on", [](World& w) { w.edit("\"STRIP\"", "\"STRIPPED\""); }},
    {"a condition that does not hold", [](World& w) { w.edit("-fno-unroll-loops", "-funroll-loops"); }},
    {"a pattern for the same files", [](World& w) { w.edit("src/**/*.c", "src/*.c"); }},
    {"who is asked for, too", [](World& w) { w.request.names = {"base", "kernels"}; }},
    {"the home folder", [](World&) { ::setenv("HOME", "/nowhere", 1); }},
    {"a variable of compilers", [](World&) { ::setenv("CPATH", "/nowhere", 1); }},
    {"a variable that nobody knows", [](World&) { ::setenv("METAMORPH_TEST", "1", 1); }},
};

TEST_F(KeyTest, EveryFieldChangedAloneMisses) {
    std::map<std::string, std::string> keys;
    const auto first = provide([](World&) {});
    ASSERT_TRUE(first) << first.error().message;
    keys[first->manifest.key()] = "nothing";
    for (const auto& [what, change] : k_in_the_key) {
        // A compiler of its own each time, as it is there for good.
        const auto provided = provide(change, "toolchain");
        ASSERT_TRUE(provided) << what << ": " << provided.error().message;
        EXPECT_EQ(provided->object.outcome, store::Outcome::built) << what;
        const auto [other, is_new] = keys.emplace(provided->manifest.key(), what);
        EXPECT_TRUE(is_new) << what << " has the key of " << other->second;
        fs::remove_all(m_scratch->path() / "toolchain");
    }
}

TEST_F(KeyTest, WhatIsOutsideHits) {
    ASSERT_TRUE(provide([](World&) {}));
    EXPECT_GT(compilations, 0);
    for (const auto& [what, change] : k_outside) {
        const auto provided = provide(change);
        ASSERT_TRUE(provided) << what << ": " << provided.error().message;
        EXPECT_EQ(provided->object.outcome, store::Outcome::hit) << what;
        EXPECT_EQ(compilations + scans, 0) << what << ": a hit starts no compilation";
    }
    // The same compiler at another place; only its headers have to be looked for.
    const auto moved = provide([](World&) {}, "other place");
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->object.outcome, store::Outcome::hit);
    EXPECT_EQ(compilations, 0);
}

TEST_F(KeyTest, AMissNamesTheNearestAndTheFields) {
    ASSERT_TRUE(provide([](World&) {}));
    const auto provided = provide([](World& w) { w.edit("\"-O2\"", "\"-O3\""); });
    ASSERT_TRUE(provided && provided->nearest);
    EXPECT_EQ(provided->nearest->differences, (std::vector<store::Difference>{{"flag", "-O3", "-O2"}}));
}

// What needs a library is keyed on its contents: where a rebuild gives the same, it stops there.
TEST_F(KeyTest, AnIdenticalRebuildStopsThere) {
    ASSERT_TRUE(provide([](World&) {}));
    const auto provided = provide([](World& w) {
        w.edit("sources = [\"base.c\"]", "sources = [\"base.c\"]\ninclude_dirs = [\"base\", \"src\"]");
        w.edit("include_dirs = [\"base\"]\nexports", "exports");
    });
    ASSERT_TRUE(provided) << provided.error().message;
    EXPECT_EQ(provided->object.outcome, store::Outcome::hit);
    EXPECT_EQ(compilations, 1);  // of base alone
}

}  // namespace
}  // namespace metamorph::libraries

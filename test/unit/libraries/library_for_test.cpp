// Many threads ask for libraries at once: each is built once, and all get it.
#include "libraries/library_for.h"

#include <thread>

#include "unit/libraries/fake_toolchain.h"
#include "unit/libraries/sample_description.h"
#include "util/interrupt.h"

namespace metamorph::libraries {
namespace {

class LibraryForTest : public testing::Test {
protected:
    void SetUp() override {
        auto made = ScratchFolder::make("library-for");
        ASSERT_TRUE(made);
        m_scratch.emplace(std::move(*made));
        m_toolchain.emplace(m_scratch->path() / "toolchain");
        const auto device = app::find_device("cortex-m4-spi");
        ASSERT_TRUE(device);
        m_device = *device;
        for (app::Compiler& compiler : m_device.compilers) {
            compiler.program = "cc";
        }
        m_store.emplace(m_scratch->path() / "store", *m_disk, *m_clock, "library-for");
        m_libraries.emplace(sample_libraries(), *m_store, *m_disk, *m_toolchain,
                            [this](const app::Library&) -> Result<SourceTree> {
                                if (!m_is_installed) {
                                    return fail(ErrorCode::toolchain, "tree", "there is no tree");
                                }
                                return tree_of_files({{"src/a.c", "a"},
                                                      {"src/b.c", "b"},
                                                      {"src/broken.c", "d"},
                                                      {"include/k.h", "k"},
                                                      {"base.c", "base"},
                                                      {"base/base.h", "h"}},
                                                     "the tree");
                            });
    }

    std::optional<ScratchFolder> m_scratch;
    std::optional<FakeToolchain> m_toolchain;
    std::unique_ptr<store::Disk> m_disk = store::make_real_disk();
    std::unique_ptr<store::Clock> m_clock = store::make_real_clock();
    std::optional<store::Store> m_store;
    std::optional<Libraries> m_libraries;
    app::Device m_device;
    bool m_is_installed = true;
};

TEST_F(LibraryForTest, ManyThreadsBuildEachOnce) {
    constexpr int k_threads = 8;
    std::vector<Result<LibrarySet>> sets(k_threads);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < k_threads; ++i) {
            threads.emplace_back([&, i] {
                const LibraryWish wish{
                    {"kernels"}, i % 2 == 0 ? std::vector<std::string>{} : std::vector<std::string>{"strip"}, "gcc", 1};
                sets[static_cast<std::size_t>(i)] = m_libraries->library_for(m_device, wish);
            });
        }
    }
    std::map<std::string, int> built;
    for (int i = 0; i < k_threads; ++i) {
        const auto& set = sets[static_cast<std::size_t>(i)];
        ASSERT_TRUE(set) << set.error().message;
        ASSERT_EQ(set->members.size(), 2U);
        EXPECT_EQ(set->members[1].key, sets[static_cast<std::size_t>(i % 2)]->members[1].key);
        EXPECT_EQ(set->key(), sets[static_cast<std::size_t>(i % 2)]->key());
        for (const BuiltLibrary& library : set->members) {
            built[library.key] += library.outcome == store::Outcome::built ? 1 : 0;
            ASSERT_EQ(library.archives.size(), 1U);
            EXPECT_TRUE(std::filesystem::exists(library.archives[0]));
            EXPECT_TRUE(std::filesystem::exists(library.include_dir));
        }
    }
    EXPECT_NE(sets[0]->key(), sets[1]->key());
    ASSERT_EQ(built.size(), 3U) << "base, and kernels in two ways";
    for (const auto& [key, count] : built) {
        EXPECT_EQ(count, 1) << key;
    }
    EXPECT_EQ(m_toolchain->compilations, 1 + 2 + 2);
    EXPECT_EQ(sets[0]->members[1].hooks, std::vector<std::string>{"log_text"});
    EXPECT_EQ(sets[0]->link_arguments.size(), 2U);
    EXPECT_EQ(sets[0]->link_arguments[0], sets[0]->members[1].archives[0].string());
}

TEST_F(LibraryForTest, WhatIsPlannedIsWhatIsBuilt) {
    const LibraryWish wish{{"kernels"}, {"debug"}, "gcc", 1};
    const auto before = m_libraries->plan(m_device, wish);
    ASSERT_TRUE(before) << before.error().message;
    ASSERT_EQ(before->size(), 2U);
    EXPECT_FALSE((*before)[1].is_stored);
    std::vector<std::string> reported;
    const auto set = m_libraries->library_for(m_device, wish,
                                              [&](const BuiltLibrary& library) { reported.push_back(library.name); });
    ASSERT_TRUE(set);
    EXPECT_EQ(reported, (std::vector<std::string>{"base", "kernels"}));
    EXPECT_EQ(set->members[1].key, (*before)[1].key);
    EXPECT_EQ(set->members[1].features, std::vector<std::string>{"debug"});
    const auto after = m_libraries->plan(m_device, wish);
    ASSERT_TRUE(after);
    EXPECT_TRUE((*after)[1].is_stored);
    const auto second = m_libraries->library_for(m_device, wish);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->members[1].outcome, store::Outcome::hit);
}

TEST_F(LibraryForTest, WhatCannotBeHadIsToldBeforeAnythingIsBuilt) {
    EXPECT_FALSE(m_libraries->why_not(m_device, {{"kernels"}, {}, "gcc", 1}));
    EXPECT_EQ(m_libraries->why_not(m_device, {{"kernls"}, {}, "gcc", 1})->hint, "did you mean 'kernels'?");
    EXPECT_EQ(m_libraries->why_not(m_device, {{"kernels"}, {}, "gccc", 1})->code, ErrorCode::options);
    EXPECT_EQ(m_libraries->why_not(m_device, {{"kernels"}, {"strip", "debug"}, "gcc", 1})->code, ErrorCode::options);
    m_is_installed = false;
    EXPECT_EQ(m_libraries->why_not(m_device, {{"kernels"}, {}, "gcc", 1})->code, ErrorCode::toolchain);
    EXPECT_EQ(m_toolchain->compilations, 0);
}

}  // namespace
}  // namespace metamorph::libraries

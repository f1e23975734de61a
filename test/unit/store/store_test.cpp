#include "store/store.h"

#include <gtest/gtest.h>

#include "unit/store/fake_world.h"
#include "unit/store/sample_library.h"

namespace metamorph::store {
namespace {

class StoreTest : public testing::Test {
protected:
    Store& run(const std::string& name, std::int64_t bytes_max = k_default_bytes_max) {
        m_runs.push_back(std::make_unique<Store>("/store", disk, clock, name, bytes_max));
        return *m_runs.back();
    }
    std::string file_of(const Object& object) { return (object.files / "lib.a").string(); }

    FakeWorld world;
    Disk& disk = world.disk();
    FakeClock clock;
    int builds = 0;

private:
    std::vector<std::unique_ptr<Store>> m_runs;
};

TEST_F(StoreTest, BuildsOnceAndFindsItThenFromAnyRun) {
    const Manifest manifest = manifest_of("kernels");
    Store& first = run("1");
    EXPECT_FALSE(first.find(manifest)->has_value());
    const auto built = first.get(request_for(manifest, disk, builds));
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_EQ(built->outcome, Outcome::built);
    EXPECT_EQ(built->key, manifest.key());
    EXPECT_EQ(*disk.read(built->files / "lib.a"), archive_of(manifest));
    EXPECT_EQ(*disk.read(first.folder_of(built->key) / "manifest"), manifest.text());
    EXPECT_TRUE(world.nodes.at(file_of(*built)).is_read_only);

    const auto found = run("2").get(request_for(manifest, disk, builds));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->outcome, Outcome::hit);
    EXPECT_EQ(found->contents, built->contents);
    EXPECT_EQ(builds, 1);

    const auto other = run("3").get(request_for(manifest_of("kernels", "-O3"), disk, builds));
    EXPECT_NE(other->contents, built->contents);
    EXPECT_EQ(builds, 2);
    EXPECT_TRUE(world.below("/store/building").empty());
    EXPECT_TRUE(world.below("/store/trash").empty());
}

TEST_F(StoreTest, FailureIsToldAndNeverStored) {
    BuildRequest request = request_for(manifest_of("kernels"), disk, builds);
    const auto good = request.build;
    request.build = [&](const std::filesystem::path& folder) -> Status {
        MM_CHECK(good(folder));
        return fail(ErrorCode::toolchain, "a.c:1", "a.c does not compile");
    };
    for (int i = 0; i < 2; ++i) {
        const auto failed = run(std::to_string(i)).get(request);
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().code, ErrorCode::toolchain);
        EXPECT_EQ(failed.error().message, "a.c does not compile");
        EXPECT_EQ(failed.error().where, "a.c:1");
    }
    EXPECT_EQ(builds, 2);
    EXPECT_TRUE(world.below("/store/objects").empty());
    EXPECT_TRUE(world.below("/store/building").empty());
    request.build = good;
    EXPECT_EQ(run("3").get(request)->outcome, Outcome::built);
}

TEST_F(StoreTest, InputsThatChangeMeanwhileAreNotStored) {
    BuildRequest request = request_for(manifest_of("kernels"), disk, builds);
    request.describe = [] { return Result<Manifest>(manifest_of("kernels", "-O3")); };
    const auto changed = run("1").get(request);
    ASSERT_FALSE(changed);
    EXPECT_NE(changed.error().message.find("changed while they were built"), std::string::npos);
    EXPECT_NE(changed.error().message.find("flag: -O2 → -O3"), std::string::npos);
    EXPECT_TRUE(world.below("/store/objects").empty());
}

TEST_F(StoreTest, DamageIsFoundAndBuiltAnew) {
    const Manifest manifest = manifest_of("kernels");
    const std::string original = file_of(*run("1").get(request_for(manifest, disk, builds)));
    const std::string folder = "/store/objects/" + manifest.key().substr(0, 2) + "/" + manifest.key();
    int name = 10;
    const std::vector<std::pair<std::string, std::function<void()>>> damages{
        {"a byte", [&] { world.nodes[original].contents[3] ^= 1; }},
        {"a missing file", [&] { world.nodes.erase(original); }},
        {"a file more", [&] { world.nodes[folder + "/files/extra"].contents = "x"; }},
        {"the list", [&] { world.nodes[folder + "/contents"].contents += "\n"; }},
        {"no list", [&] { world.nodes.erase(folder + "/contents"); }},
        {"the manifest", [&] { world.nodes[folder + "/manifest"].contents += "flag = -g\n"; }},
        {"no manifest", [&] { world.nodes.erase(folder + "/manifest"); }},
    };
    for (const auto& [what, damage] : damages) {
        EXPECT_TRUE(run(std::to_string(name++)).check()->damages.empty());
        damage();
        const auto check = run(std::to_string(name++)).check();
        ASSERT_EQ(check->damages.size(), 1U) << what;
        EXPECT_EQ(check->damages[0].where, folder);
        EXPECT_FALSE(run(std::to_string(name++)).find(manifest)->has_value()) << what;
        const auto again = run(std::to_string(name++)).get(request_for(manifest, disk, builds));
        ASSERT_TRUE(again) << what;
        EXPECT_EQ(again->outcome, Outcome::built);
        EXPECT_EQ(again->replaced, check->damages[0].what);
        EXPECT_EQ(*disk.read(again->files / "lib.a"), archive_of(manifest));
    }
    EXPECT_EQ(builds, 1 + static_cast<int>(damages.size()));
}

TEST_F(StoreTest, AStoreThatCannotBeWrittenStillFinds) {
    const Manifest manifest = manifest_of("kernels");
    ASSERT_TRUE(run("1").get(request_for(manifest, disk, builds)));
    world.fault = [](const std::string&, const std::string&) { return std::string("Read-only file system"); };
    Store& reader = run("2");
    const auto found = reader.get(request_for(manifest, disk, builds));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->outcome, Outcome::hit);
    const auto missing = reader.get(request_for(manifest_of("other"), disk, builds));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::system);
    EXPECT_NE(missing.error().message.find("Read-only file system"), std::string::npos);
    EXPECT_NE(missing.error().hint.find("METAMORPH_STORE"), std::string::npos);
    EXPECT_EQ(builds, 1);
}

// Whatever change is refused, and from then on or only once: no object, or a whole one; and it works once there is
// room.
TEST_F(StoreTest, AFullDiskLeavesNothingHalf) {
    for (const bool is_for_good : {true, false}) {
        int failures = 0;
        for (int at = 1;; ++at) {
            FakeWorld small;
            int changes = 0, own_builds = 0;
            small.fault = [&](const std::string& what, const std::string&) -> std::string {
                const bool needs_room = what == "write" || what == "make folder" || what == "sync" || what == "rename";
                changes += needs_room ? 1 : 0;
                const bool is_full = needs_room && (is_for_good ? changes >= at : changes == at);
                return is_full ? "No space left on device" : "";
            };
            Store store("/store", small.disk(), clock, "1");
            const auto got = store.get(request_for(manifest_of("kernels"), small.disk(), own_builds));
            if (!got) {
                ++failures;
                EXPECT_NE(got.error().message.find("No space left"), std::string::npos) << got.error().message;
            }
            const bool is_through = changes < at;
            small.fault = {};
            Store later("/store", small.disk(), clock, "2");
            EXPECT_TRUE(later.check()->damages.empty());
            ASSERT_TRUE(later.get(request_for(manifest_of("kernels"), small.disk(), own_builds)));
            ASSERT_TRUE(later.collect(0));
            EXPECT_TRUE(small.below("/store/building").empty());
            EXPECT_TRUE(small.below("/store/trash").empty());
            if (is_through) {
                break;
            }
        }
        EXPECT_GT(failures, 8);
    }
}

TEST_F(StoreTest, WhatCannotBeMovedIsAnError) {
    world.fault = [](const std::string& what, const std::string& path) -> std::string {
        return what == "rename" && path.find("building") != std::string::npos ? "Invalid cross-device link" : "";
    };
    const auto got = run("1").get(request_for(manifest_of("kernels"), disk, builds));
    ASSERT_FALSE(got);
    EXPECT_NE(got.error().message.find("cross-device"), std::string::npos);
    EXPECT_NE(got.error().hint.find("one file system"), std::string::npos);
    EXPECT_TRUE(world.below("/store/objects").empty());
}

TEST_F(StoreTest, TwoRunsOfOneNameDoNotBlockEachOther) {
    ASSERT_TRUE(run("7").get(request_for(manifest_of("a"), disk, builds)));
    ASSERT_TRUE(run("7").get(request_for(manifest_of("b"), disk, builds)));
    EXPECT_EQ(world.below("/store/live").size(), 2U);
}

TEST_F(StoreTest, NearestIsTheOneWithFewestDifferences) {
    Manifest near = manifest_of("kernels", "-O3"), far = manifest_of("kernels", "-O3");
    far.add("feature", "debug");
    Store& store = run("1");
    EXPECT_FALSE(store.nearest(near, "library")->has_value());
    for (const Manifest& manifest : {near, far, manifest_of("others")}) {
        ASSERT_TRUE(store.get(request_for(manifest, disk, builds)));
    }
    const auto nearest = store.nearest(manifest_of("kernels"), "library");
    ASSERT_TRUE(nearest && *nearest);
    EXPECT_EQ((*nearest)->entry.key, near.key());
    EXPECT_EQ((*nearest)->differences, (std::vector<Difference>{{"flag", "-O2", "-O3"}}));
}

TEST_F(StoreTest, KeysAreNamedByTheirStart) {
    Store& store = run("1");
    ASSERT_TRUE(store.get(request_for(manifest_of("kernels"), disk, builds)));
    const std::string key = manifest_of("kernels").key();
    EXPECT_EQ(*store.resolve(key.substr(0, 5), "A"), key);
    EXPECT_EQ(store.resolve("zz", "A").error().code, ErrorCode::options);
    EXPECT_EQ(store.resolve("", "A").error().code, ErrorCode::options);
}

}  // namespace
}  // namespace metamorph::store

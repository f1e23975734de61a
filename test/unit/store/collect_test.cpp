#include <gtest/gtest.h>

#include <algorithm>

#include "store/store.h"
#include "unit/store/fake_world.h"
#include "unit/store/sample_library.h"

namespace metamorph::store {
namespace {

class CollectTest : public testing::Test {
protected:
    // By a run that is over then.
    void put(const std::string& library) {
        Store store("/store", disk, clock, "builder");
        ASSERT_TRUE(store.get(request_for(manifest_of(library), disk, builds)));
    }
    std::vector<std::string> stored() {
        Store store("/store", disk, clock, "looker");
        std::vector<std::string> names;
        const auto entries = store.entries();
        for (const Entry& entry : *entries) {
            names.push_back(entry.manifest.value("library"));
        }
        std::sort(names.begin(), names.end());
        return names;
    }
    std::int64_t bytes() {
        std::int64_t sum = 0;
        const auto entries = Store("/store", disk, clock, "looker").entries();
        for (const Entry& entry : *entries) {
            sum += entry.bytes;
        }
        return sum;
    }

    FakeWorld world;
    Disk& disk = world.disk();
    FakeClock clock;
    int builds = 0;
};

TEST_F(CollectTest, TheLeastRecentlyUsedGoFirst) {
    for (const char* name : {"a", "b", "c"}) {
        put(name);
    }
    const std::int64_t all = bytes();
    put("a");  // a hit: used last
    Store store("/store", disk, clock, "collector");
    const auto collected = store.collect(all - 1);
    ASSERT_TRUE(collected);
    ASSERT_EQ(collected->removed.size(), 1U);
    EXPECT_EQ(collected->removed[0].manifest.value("library"), "b");
    EXPECT_EQ(stored(), (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(collected->bytes_left, bytes());
    EXPECT_EQ(collected->objects_left, 2);
    EXPECT_TRUE(store.collect(0)->objects_left == 0);
    EXPECT_TRUE(stored().empty());
    EXPECT_TRUE(world.below("/store/used").empty());
    EXPECT_TRUE(world.below("/store/trash").empty());
}

TEST_F(CollectTest, WhatALiveRunUsesStays) {
    put("a");
    put("b");
    Store user("/store", disk, clock, "user");
    ASSERT_TRUE(user.find(manifest_of("a"))->has_value());
    Store collector("/store", disk, clock, "collector");
    EXPECT_EQ(collector.collect(0)->objects_left, 1);
    EXPECT_EQ(stored(), (std::vector<std::string>{"a"}));
    const auto entries = collector.entries();
    ASSERT_EQ(entries->size(), 1U);
    EXPECT_TRUE(entries->front().is_live);
}

TEST_F(CollectTest, TheCapHoldsAfterEveryBuild) {
    put("a");
    const std::int64_t one = bytes();
    for (const char* name : {"b", "c", "d"}) {
        Store store("/store", disk, clock, name, 2 * one);
        ASSERT_TRUE(store.get(request_for(manifest_of(name), disk, builds)));
    }
    EXPECT_EQ(stored(), (std::vector<std::string>{"c", "d"}));
}

TEST_F(CollectTest, AClockThatJumpsMakesNothingImmortal) {
    clock.now = 9'000'000;
    put("future");
    clock.now = 1'000'000;
    put("a");
    ASSERT_TRUE(Store("/store", disk, clock, "c1").collect(1 << 20));  // sees the stamp, and sets it right
    clock.now = 1'000'100;
    put("b");
    const std::int64_t all = bytes();
    const auto collected = Store("/store", disk, clock, "c2").collect(all - 1);
    ASSERT_EQ(collected->removed.size(), 1U);
    EXPECT_EQ(collected->removed[0].manifest.value("library"), "a");
    EXPECT_EQ(Store("/store", disk, clock, "c3").collect(0)->objects_left, 0);
}

TEST_F(CollectTest, LeftoversOfKilledRunsGo) {
    world.nodes["/store/building/abc/files/half"].contents = "x";
    world.nodes["/store/building/abc"].is_folder = true;
    world.nodes["/store/building"].is_folder = true;
    world.nodes["/store/locks/abc"];
    world.nodes["/store/live/dead"].contents = "abc\n";
    world.nodes["/store/trash/dead.0"].is_folder = true;
    world.nodes["/store/trash/dead.0/x"].contents = "x";
    put("a");
    world.nodes["/store/objects/" + manifest_of("a").key().substr(0, 2) + "/" + manifest_of("a").key() + "/manifest"]
        .contents = "?";
    const auto collected = Store("/store", disk, clock, "collector").collect(1 << 20);
    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_TRUE(stored().empty());
    EXPECT_EQ(world.below("/store"), (std::vector<std::string>{"/store/locks/all"}));
    EXPECT_GE(collected->stale.size(), 1U);
}

}  // namespace
}  // namespace metamorph::store

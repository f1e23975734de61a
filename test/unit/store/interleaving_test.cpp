// Several runs at once, in an order that is drawn from a seed at each call of the disk.
#include <gtest/gtest.h>

#include "store/store.h"
#include "unit/store/fake_world.h"
#include "unit/store/sample_library.h"

namespace metamorph::store {
namespace {

constexpr int k_actors = 4;
constexpr std::uint64_t k_seeds = 60;
const std::vector<std::string> k_libraries{"a", "b", "c"};

struct Tally {
    std::map<std::string, int> builds;
    int hits = 0, waits = 0, wrong = 0, errors = 0;
};

// Gets every library, in an order of its own, and looks at what it got again at its end.
void use_all(FakeWorld& world, Disk& disk, FakeClock& clock, int actor, Tally& tally, std::int64_t bytes_max) {
    Store store("/store", disk, clock, std::to_string(actor), bytes_max);
    std::vector<std::pair<Object, Manifest>> objects;
    for (std::size_t i = 0; i < k_libraries.size(); ++i) {
        const std::string& library = k_libraries[(i + static_cast<std::size_t>(actor)) % k_libraries.size()];
        const Manifest manifest = manifest_of(library);
        const auto got = store.get(request_for(manifest, disk, tally.builds[library]));
        if (!got) {
            ++tally.errors;
            continue;
        }
        tally.hits += got->outcome == Outcome::hit ? 1 : 0;
        tally.waits += got->outcome == Outcome::waited ? 1 : 0;
        objects.emplace_back(*got, manifest);
    }
    for (const auto& [object, manifest] : objects) {
        const auto found = world.nodes.find((object.files / "lib.a").string());
        const bool is_right = found != world.nodes.end() && found->second.contents == archive_of(manifest);
        tally.wrong += is_right || !disk.exists("/") ? 0 : 1;
    }
}

struct Trial {
    std::int64_t bytes_max = k_default_bytes_max;
    std::vector<std::int64_t> kills;  // of actor 0, 1 …: at which call; 0: never
};

Tally try_interleaving(const Trial& trial, FakeWorld& world) {
    FakeClock clock;
    Tally tally;
    std::vector<std::function<void(Disk&)>> actors;
    for (int actor = 0; actor < k_actors; ++actor) {
        actors.emplace_back([&, actor](Disk& disk) { use_all(world, disk, clock, actor, tally, trial.bytes_max); });
        if (static_cast<std::size_t>(actor) < trial.kills.size() && trial.kills[static_cast<std::size_t>(actor)] > 0) {
            world.kill_at(actor, trial.kills[static_cast<std::size_t>(actor)]);
        }
    }
    actors.emplace_back([&](Disk& disk) {
        Store collector("/store", disk, clock, "collector");
        for (int i = 0; i < 3; ++i) {
            tally.errors += collector.collect(trial.bytes_max) ? 0 : 1;
        }
    });
    world.run(actors);
    return tally;
}

void expect_clean(FakeWorld& world, std::uint64_t seed) {
    FakeClock clock;
    Store after("/store", world.disk(99), clock, "after");
    const auto check = after.check();
    ASSERT_TRUE(check);
    EXPECT_TRUE(check->damages.empty()) << "seed " << seed;
    ASSERT_TRUE(after.collect(0)) << "seed " << seed;
    for (const std::string& path : world.below("/store")) {
        EXPECT_TRUE(path == "/store/locks/all" || path == "/store/live/after") << path << ", seed " << seed;
    }
}

TEST(StoreInterleaving, EachKeyIsBuiltOnce) {
    int waits = 0, hits = 0;
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        FakeWorld world(seed);
        const Tally tally = try_interleaving({}, world);
        for (const std::string& library : k_libraries) {
            EXPECT_EQ(tally.builds.at(library), 1) << "seed " << seed;
        }
        EXPECT_EQ(tally.wrong + tally.errors, 0) << "seed " << seed;
        waits += tally.waits;
        hits += tally.hits;
        expect_clean(world, seed);
    }
    EXPECT_GT(waits, 0);  // else nothing was tried
    EXPECT_GT(hits, 0);
}

TEST(StoreInterleaving, WhatIsInUseIsNeverCollected) {
    int rebuilds = 0;
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        FakeWorld world(seed);
        const Tally tally = try_interleaving({.bytes_max = 0, .kills = {}}, world);
        EXPECT_EQ(tally.wrong + tally.errors, 0) << "seed " << seed;
        for (const std::string& library : k_libraries) {
            rebuilds += tally.builds.at(library) - 1;
        }
        expect_clean(world, seed);
    }
    EXPECT_GT(rebuilds, 0);  // else nothing was ever collected between two uses
}

TEST(StoreInterleaving, KilledBuildersHinderNobody) {
    std::mt19937_64 random(7);
    int rebuilds = 0;
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
        FakeWorld world(seed);
        const auto moment = [&] { return static_cast<std::int64_t>(1 + random() % 60); };
        const Tally tally = try_interleaving({.kills = {moment(), moment()}}, world);
        EXPECT_EQ(tally.wrong, 0) << "seed " << seed;
        EXPECT_LE(tally.errors, 6) << "seed " << seed;  // of the two that were killed
        for (const std::string& library : k_libraries) {
            EXPECT_GE(tally.builds.at(library), 1);
            EXPECT_LE(tally.builds.at(library), 3) << "seed " << seed;
            rebuilds += tally.builds.at(library) - 1;
        }
        expect_clean(world, seed);
    }
    EXPECT_GT(rebuilds, 0);
}

}  // namespace
}  // namespace metamorph::store

// A run is killed at each of its calls of the disk, and the power is cut there: what is stored is whole, the next run
// succeeds, and collect() leaves nothing behind.
#include <gtest/gtest.h>

#include "store/store.h"
#include "unit/store/fake_world.h"
#include "unit/store/sample_library.h"

namespace metamorph::store {
namespace {

constexpr std::int64_t k_calls = 200;  // more than a run makes

void use_store(Disk& disk, FakeClock& clock, int& builds, const std::string& name) {
    Store store("/store", disk, clock, name);
    (void)store.get(request_for(manifest_of("kernels"), disk, builds));
    (void)store.get(request_for(manifest_of("other"), disk, builds));
    (void)store.collect(0);
}

struct Aftermath {
    std::size_t damages = 0;
    bool recovers = false;
    std::vector<std::string> left;  // files that collect() left, but for the one lock that stays
};

Aftermath crash_at(std::int64_t call, bool power, bool forgets, std::uint64_t seed) {
    FakeWorld world(seed);
    FakeClock clock;
    world.forgets = forgets;
    int builds = 0;
    world.kill_at(0, call);
    use_store(world.disk(0), clock, builds, "1");
    if (power) {
        world.cut_power();
    }
    Aftermath aftermath;
    {
        Store next("/store", world.disk(1), clock, "1");
        aftermath.damages = next.check()->damages.size();
        const auto got = next.get(request_for(manifest_of("kernels"), world.disk(1), builds));
        aftermath.recovers = got && *world.disk(1).read(got->files / "lib.a") == archive_of(manifest_of("kernels"));
    }
    Store last("/store", world.disk(1), clock, "2");
    EXPECT_TRUE(last.collect(0));
    for (const std::string& path : world.below("/store")) {
        if (path != "/store/locks/all" && path != "/store/live/2") {
            aftermath.left.push_back(path);
        }
    }
    return aftermath;
}

TEST(StoreCrash, KilledAtAnyCall) {
    for (std::int64_t call = 1; call <= k_calls; ++call) {
        const Aftermath aftermath = crash_at(call, false, false, 1);
        EXPECT_EQ(aftermath.damages, 0U) << "call " << call;
        EXPECT_TRUE(aftermath.recovers) << "call " << call;
        EXPECT_TRUE(aftermath.left.empty()) << "call " << call << ": " << aftermath.left.front();
    }
}

TEST(StoreCrash, PowerIsCutAtAnyCall) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        for (std::int64_t call = 1; call <= k_calls; ++call) {
            const Aftermath aftermath = crash_at(call, true, false, seed);
            EXPECT_EQ(aftermath.damages, 0U) << "seed " << seed << ", call " << call;
            EXPECT_TRUE(aftermath.recovers) << "seed " << seed << ", call " << call;
            EXPECT_TRUE(aftermath.left.empty()) << "seed " << seed << ", call " << call;
        }
    }
}

// The test of the test: without fsync a power cut shows, and even then the store recovers by its hashes.
TEST(StoreCrash, ADiskThatForgetsIsFoundOut) {
    std::size_t damages = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        for (std::int64_t call = 1; call <= k_calls; ++call) {
            const Aftermath aftermath = crash_at(call, true, true, seed);
            damages += aftermath.damages;
            EXPECT_TRUE(aftermath.recovers) << "seed " << seed << ", call " << call;
        }
    }
    EXPECT_GT(damages, 0U);
}

TEST(StoreCrash, ARunMakesFewerCallsThanAreTried) {
    FakeWorld world;
    FakeClock clock;
    int builds = 0;
    use_store(world.disk(0), clock, builds, "1");
    EXPECT_EQ(builds, 2);
    EXPECT_LT(world.calls(0), k_calls);
    EXPECT_GT(world.calls(0), 60);
}

}  // namespace
}  // namespace metamorph::store

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "unit/store/sample_library.h"
#include "util/interrupt.h"

namespace metamorph::store {
namespace {

namespace fs = std::filesystem;

class RealDiskTest : public testing::Test {
protected:
    void SetUp() override {
        auto made = ScratchFolder::make("store-disk");
        ASSERT_TRUE(made);
        m_scratch.emplace(std::move(*made));
        folder = m_scratch->path();
    }
    std::optional<ScratchFolder> m_scratch;
    fs::path folder;
    const std::unique_ptr<Disk> disk = make_real_disk();
    const std::unique_ptr<Clock> clock = make_real_clock();
};

TEST_F(RealDiskTest, ObjectsAreReadOnlyAndCanBeRemoved) {
    int builds = 0;
    Store store(folder / "store", *disk, *clock, "1");
    const auto got = store.get(request_for(manifest_of("kernels"), *disk, builds));
    ASSERT_TRUE(got) << got.error().message;
    struct stat status{};
    for (const char* name : {"lib.a", "include", "include/lib.h"}) {
        ASSERT_EQ(::stat((got->files / name).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0222U, 0U) << name;
    }
    EXPECT_TRUE(disk->remove(folder / "store"));
    EXPECT_FALSE(fs::exists(folder / "store"));
    EXPECT_TRUE(disk->remove(folder / "store"));
}

TEST_F(RealDiskTest, LocksExcludeAndTheirFilesGo) {
    const fs::path file = folder / "lock";
    {
        const auto held = disk->lock(file, {.removes_file = true});
        ASSERT_TRUE(held && *held);
        const auto second = disk->lock(file, {.waits = false});
        ASSERT_TRUE(second);
        EXPECT_EQ(*second, nullptr);
    }
    EXPECT_FALSE(fs::exists(file));
    const auto shared = disk->lock(file, {.is_shared = true}), also = disk->lock(file, {.is_shared = true});
    EXPECT_TRUE(*shared && *also);
    EXPECT_EQ(*disk->lock(file, {.waits = false}), nullptr);
}

TEST_F(RealDiskTest, LinksAreNoPartOfAnObject) {
    fs::create_symlink("/etc/passwd", folder / "link");
    EXPECT_FALSE(disk->files_below(folder));
    EXPECT_TRUE(disk->remove(folder / "link"));
    EXPECT_TRUE(fs::exists("/etc/passwd"));
}

TEST_F(RealDiskTest, ErrorsNameThePathAndTheCause) {
    const auto read = disk->read(folder / "absent");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::system);
    EXPECT_NE(read.error().message.find("absent"), std::string::npos);
    disk->make_folders(folder / "full");
    disk->write(folder / "full/x", "x");
    disk->make_folders(folder / "other");
    EXPECT_FALSE(disk->rename(folder / "other", folder / "full"));
    EXPECT_TRUE(disk->list(folder / "absent")->empty());
    EXPECT_FALSE(disk->make_folders(folder / "full/x/y"));
}

TEST_F(RealDiskTest, TheDefaultPlaceIsThatOfCaches) {
    ::setenv("METAMORPH_STORE", "/a/b", 1);
    EXPECT_EQ(*default_root(), "/a/b");
    ::setenv("METAMORPH_STORE", "b", 1);
    EXPECT_EQ(default_root().error().where, "METAMORPH_STORE");
    ::unsetenv("METAMORPH_STORE");
    ::setenv("XDG_CACHE_HOME", "/cache", 1);
    EXPECT_EQ(*default_root(), "/cache/metamorph/store");
    ::setenv("METAMORPH_STORE_BYTES", "12k", 1);
    EXPECT_EQ(default_bytes_max().error().code, ErrorCode::options);
    ::setenv("METAMORPH_STORE_BYTES", "4096", 1);
    EXPECT_EQ(*default_bytes_max(), 4096);
}

}  // namespace
}  // namespace metamorph::store

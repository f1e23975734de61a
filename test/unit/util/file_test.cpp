// util/file: contents survive a round trip, limits hold, unchanged files are left alone, and every failure is a system
// error.
#include "util/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

namespace metamorph {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "mm_file_test_XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
    }
    void TearDown() override { fs::remove_all(m_folder); }

    static std::string text_of(const std::vector<std::byte>& bytes) {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()));
    }

    fs::path m_folder;
};

TEST_F(FileTest, WritesAndReadsBack) {
    const std::string contents("a\0b\xff\n", 5);
    const auto outcome = write_file_if_changed(m_folder / "sub/folder/x.bin", contents);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(*outcome, WriteOutcome::written);
    const auto bytes = read_file(m_folder / "sub/folder/x.bin", 5);
    ASSERT_TRUE(bytes) << describe(bytes.error());
    EXPECT_EQ(text_of(*bytes), contents);
}

TEST_F(FileTest, LeavesAnUnchangedFileAlone) {
    const fs::path path = m_folder / "x";
    ASSERT_TRUE(write_file_if_changed(path, "same"));
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(path, long_ago);
    EXPECT_EQ(write_file_if_changed(path, "same").value(), WriteOutcome::unchanged);
    EXPECT_EQ(fs::last_write_time(path), long_ago);
    EXPECT_EQ(write_file_if_changed(path, "sama").value(), WriteOutcome::written);
    EXPECT_NE(fs::last_write_time(path), long_ago);
    EXPECT_EQ(text_of(read_file(path, 100).value()), "sama");
}

TEST_F(FileTest, ReplacesAndLeavesNoTemporaryFile) {
    const fs::path path = m_folder / "x";
    ASSERT_TRUE(write_file_if_changed(path, "a much longer text"));
    ASSERT_TRUE(write_file_if_changed(path, ""));
    EXPECT_EQ(fs::file_size(path), 0U);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, FailedWriteLeavesNothingBehind) {
    fs::create_directory(m_folder / "x");  // a folder cannot be replaced by a file
    const auto outcome = write_file_if_changed(m_folder / "x", "text");
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::system);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, RefusesWhatIsLargerThanTheLimit) {
    ASSERT_TRUE(write_file_if_changed(m_folder / "x", "12345"));
    EXPECT_TRUE(read_file(m_folder / "x", 5));
    const auto bytes = read_file(m_folder / "x", 4);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, ErrorCode::system);
    EXPECT_NE(bytes.error().message.find("limit of 4 bytes"), std::string::npos);
}

TEST_F(FileTest, RefusesWhatIsNoRegularFile) {
    for (const fs::path& path : {m_folder / "absent", m_folder, fs::path("/dev/zero")}) {
        const auto bytes = read_file(path, 1000);
        ASSERT_FALSE(bytes) << path;
        EXPECT_EQ(bytes.error().code, ErrorCode::system);
        EXPECT_NE(bytes.error().message.find(path.string()), std::string::npos);
    }
}

TEST_F(FileTest, ReadsAnEmptyFile) {
    std::ofstream(m_folder / "empty").close();
    EXPECT_TRUE(read_file(m_folder / "empty", 0).value().empty());
}

}  // namespace
}  // namespace metamorph

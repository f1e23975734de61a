#include "tasks/partition.h"

#include <gtest/gtest.h>

namespace metamorph::tasks {
namespace {

std::vector<int> split(const std::string& text, int steps, std::vector<std::int64_t> boundary = {}) {
    boundary.resize(static_cast<std::size_t>(steps) + 1, 1);
    return layers_per_task(parse_split(text).value(), steps, boundary).value();
}

TEST(Partition, ReadsEveryForm) {
    EXPECT_EQ(split("whole", 5), (std::vector<int>{5}));
    EXPECT_EQ(split("layer", 3), (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(split("2,3", 5), (std::vector<int>{2, 3}));
    EXPECT_EQ(split("1", 5), (std::vector<int>{5}));
    EXPECT_EQ(split("5", 5), (std::vector<int>{1, 1, 1, 1, 1}));
}

TEST(Partition, NumberOfTasksTakesTheCheapestEvenCuts) {
    EXPECT_EQ(split("2", 6, {1, 1, 9, 1, 1, 0}), (std::vector<int>{3, 3}));  // even first
    EXPECT_EQ(split("2", 5, {9, 9, 1, 9, 0}), (std::vector<int>{3, 2}));
    EXPECT_EQ(split("2", 5, {9, 1, 5, 9, 0}), (std::vector<int>{2, 3}));
    EXPECT_EQ(split("3", 7, {9, 9, 1, 9, 9, 1, 0}), (std::vector<int>{3, 3, 1}));
}

TEST(Partition, PrintIsWhatParseReads) {
    for (const char* text : {"whole", "layer", "3,3,3", "4"}) {
        EXPECT_EQ(print(parse_split(text).value()), text);
    }
}

TEST(Partition, RefusesWhatIsNoSplit) {
    for (const char* text : {"", ",", "3,", ",3", "3,,3", "0", "3,0", "-1", "3.5", "layers", "3 3", "99999999999"}) {
        const auto result = parse_split(text);
        ASSERT_FALSE(result.has_value()) << text;
        EXPECT_EQ(result.error().code, ErrorCode::options);
        EXPECT_NE(result.error().hint.find("3,3,3"), std::string::npos);
    }
}

TEST(Partition, WrongSumSaysWhatItIs) {
    const auto result = layers_per_task(parse_split("3,3,3").value(), 7, {});
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::options);
    EXPECT_NE(result.error().message.find("sum up to 9"), std::string::npos);
    EXPECT_NE(result.error().message.find("7 layers"), std::string::npos);
}

TEST(Partition, MoreTasksThanLayers) {
    const auto result = layers_per_task(parse_split("8").value(), 7, {});
    ASSERT_FALSE(result.has_value());
    EXPECT_NE(result.error().message.find("8 tasks"), std::string::npos);
}

}  // namespace
}  // namespace metamorph::tasks

// Layers cut into slices: right after every cut, no byte of NVM written twice, and a slice that is not idempotent is
// found.
#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "pipeline/project_folder.h"
#include "powerloss/run/run_fixture.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using tasks::NvmMode;

std::vector<tasks::SliceRequest> slices(const std::vector<std::string>& texts) {
    std::vector<tasks::SliceRequest> requests;
    for (const std::string& text : texts) {
        requests.push_back(tasks::parse_slice(text).value());
    }
    return requests;
}

struct SlicedCase {
    const char* name;
    const char* split;
    std::vector<std::string> slices;
    std::size_t tasks;                      // take_input and hand_over included
    std::optional<std::uint64_t> cuts_max;  // nothing: every write unit
};

class SlicedDigits : public testing::TestWithParam<std::tuple<SlicedCase, NvmMode>> {};

TEST_P(SlicedDigits, Survive) {
    const auto& [sliced, mode] = GetParam();
    pipeline::RunRequest request = request_for(digits_model(), sliced.split, mode);
    request.slices = slices(sliced.slices);
    request.cuts_max = sliced.cuts_max;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
    const report::WovenResult& woven = result->woven.front();
    EXPECT_EQ(woven.tasks.size(), sliced.tasks);
    EXPECT_GE(woven.cuts->cuts_tried, sliced.cuts_max.value_or(woven.cuts->units_total));
}

const std::vector<SlicedCase> k_cases{
    {"one_layer_in_four", "layer", {"1=4"}, 11, {}},
    {"uneven_positions_and_channels", "layer", {"conv2d_02_relu=7", "4=3"}, 16, 300},
    {"all_that_are_large", "3,3", {"auto:320B"}, 4 + 4 + 4 + 3, 300},
    {"in_the_middle_of_a_task", "whole", {"2=2"}, 2 + 4, 300},
};

INSTANTIATE_TEST_SUITE_P(Cases, SlicedDigits,
                         testing::Combine(testing::ValuesIn(k_cases), testing::Values(NvmMode::mapped, NvmMode::bus)),
                         [](const auto& one) {
                             return std::string(std::get<0>(one.param).name) +
                                    (std::get<1>(one.param) == NvmMode::mapped ? "_mapped" : "_bus");
                         });

class SlicedCost : public testing::TestWithParam<NvmMode> {};

TEST_P(SlicedCost, SameBytesAsATaskALayer) {
    const auto weave = [](const std::vector<std::string>& texts) {
        pipeline::WeaveRequest request{digits_model(), "", tasks::parse_split("layer").value(), GetParam(), {}};
        request.slices = slices(texts);
        auto woven = pipeline::weave_model(request);
        EXPECT_TRUE(woven.has_value()) << describe(woven.error());
        return std::move(*woven);
    };
    const pipeline::Woven whole = weave({});
    const pipeline::Woven sliced = weave({"auto:160B", "auto:1000MACs"});
    EXPECT_GT(sliced.plan->tasks.size(), whole.plan->tasks.size() + 30);
    EXPECT_EQ(sliced.plan->crossing_bytes, whole.plan->crossing_bytes);
    EXPECT_EQ(sliced.plan->data_bytes_written, whole.plan->data_bytes_written);
    for (const auto& [path, contents] : whole.code.files) {
        EXPECT_EQ(sliced.project.files.at("generated/" + path), contents) << path;
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, SlicedCost, testing::Values(NvmMode::mapped, NvmMode::bus),
                         [](const auto& mode) { return mode.param == NvmMode::mapped ? "mapped" : "bus"; });

// Slices end at whole blocks of 16 bytes, so that a memory which tears 16 bytes at once is worked on in place all the
// same. Those of one channel cannot.
TEST(SlicedWriteUnits, AreKeptApart) {
    const auto copied = [](const std::vector<std::string>& texts) {
        pipeline::WeaveRequest request{digits_model(), "", tasks::parse_split("layer").value(), NvmMode::mapped, {}};
        request.slices = slices(texts);
        const auto woven = pipeline::weave_model(request);
        EXPECT_TRUE(woven.has_value()) << describe(woven.error());
        const auto plan =
            tasks::plan_tasks(*woven->chain, NvmMode::mapped, std::numeric_limits<std::int64_t>::max(), 16);
        EXPECT_TRUE(plan.has_value()) << describe(plan.error());
        return std::count_if(plan->variables.begin(), plan->variables.end(), [](const tasks::Variable& v) {
            return v.placement == tasks::Placement::nvm_with_sram_copy;
        });
    };
    EXPECT_EQ(copied({"0=7", "1=5", "2=6", "3=3"}), 0);
    EXPECT_GT(copied({"4=3"}), 0);
}

std::string read_all(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Task 2 is the second of two slices. Here it adds its rows to a home that the first slice zeroes: the sum of zero and
// a row is the row, but for the second run of a slice that was cut.
TEST(SlicedFault, ASliceThatAccumulatesIntoItsHomeIsFound) {
    const auto scratch = ScratchFolder::make("metamorph-slice-fault").value();
    pipeline::WeaveRequest weaving{digits_model(), "net", tasks::parse_split("layer").value(), NvmMode::mapped, {}};
    weaving.slices = slices({"0=2"});
    const auto woven = pipeline::weave_model(weaving);
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    const fs::path folder = scratch.path() / "app";
    ASSERT_TRUE(pipeline::write_project(folder, woven->project.files).has_value());

    const tasks::Pointer home = woven->plan->pointers.at({2, 1});
    ASSERT_TRUE(home.in_nvm);
    const std::string file = (folder / "app/net_tasks.c").string();
    std::string text = read_all(file);
    const auto replace = [&](const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
    };
    const std::string loop = "    for (int i = 512; i < 1024; ++i) mm_nvm[" + std::to_string(home.at) + " + i] = ";
    replace("    return 2u;\n", loop + "0;\n    return 2u;\n");
    replace("(int8_t *)&mm_nvm[" + std::to_string(home.at) + "], 32, 64);\n",
            "rows, 32, 64);\n" + loop + "(uint8_t)(mm_nvm[" + std::to_string(home.at) + " + i] + (uint8_t)rows[i]);\n");
    replace("mm_task_id_t net_task_02(void)\n{\n", "static int8_t rows[1024];\n\nmm_task_id_t net_task_02(void)\n{\n");
    std::ofstream(file) << text;

    pipeline::RunRequest request = request_for(folder, "whole", NvmMode::mapped);
    request.is_woven = true;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    const report::WovenResult& faulty = result->woven.front();
    EXPECT_TRUE(faulty.is_equal_uninterrupted) << "only cutting the power can find it";
    ASSERT_TRUE(faulty.cuts.has_value());
    EXPECT_GT(faulty.cuts->wrong_count, 0U);
    ASSERT_FALSE(faulty.cuts->failures.empty());
    for (const report::CutFailure& failure : faulty.cuts->failures) {
        EXPECT_EQ(failure.kind, "wrong output") << failure.id << " in " << failure.task;
    }
}

}  // namespace
}  // namespace metamorph

#include "powerloss/run/run_fixture.h"

#include <algorithm>
#include <cstdlib>

#include "util/thread_pool.h"

namespace metamorph {

constexpr double k_write_ratio_max = 1.05;

std::string name_of(const testing::TestParamInfo<Case>& info) {
    std::string name = info.param.split;
    std::replace(name.begin(), name.end(), ',', '_');
    return (info.param.mode == tasks::NvmMode::mapped ? "mapped_" : "bus_") + name;
}

std::filesystem::path digits_model() {
    return std::filesystem::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite";
}

std::filesystem::path digits_dataset() {
    return std::filesystem::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_heldout.bin";
}

std::optional<std::filesystem::path> zoo_model(const std::string& name) {
    const char* folder = std::getenv("METAMORPH_MODEL_ZOO");
    return folder == nullptr ? std::nullopt : std::optional(std::filesystem::path(folder) / name);
}

pipeline::RunRequest request_for(const std::filesystem::path& model, const std::string& split, tasks::NvmMode mode) {
    pipeline::RunRequest request;
    request.model = model;
    request.split = tasks::parse_split(split).value();
    request.modes = {mode};
    request.second_max = 1;
    request.jobs = default_threads();
    return request;
}

void expect_all_survived(const report::RunResult& result) {
    for (const report::WovenResult& woven : result.woven) {
        SCOPED_TRACE(woven.mode + " --tasks " + woven.split);
        EXPECT_TRUE(woven.is_equal_uninterrupted);
        ASSERT_TRUE(woven.cuts.has_value());
        EXPECT_EQ(woven.cuts->wrong_count, 0U);
        for (const report::CutFailure& failure : woven.cuts->failures) {
            ADD_FAILURE() << failure.id << " in " << failure.task << ": " << failure.kind << " " << failure.detail;
        }
        EXPECT_GT(woven.cuts->second_cuts_tried, 0U);
        EXPECT_GT(woven.cuts->reboots, woven.cuts->cuts_tried);
        EXPECT_LE(woven.write_ratio(), k_write_ratio_max);
        // The first commit of all finds its slot unsealed.
        EXPECT_GE(woven.nvm_bytes_written_per_inference + 4, woven.crossing_bytes + woven.commit_record_bytes);
    }
    EXPECT_TRUE(result.is_right());
}

}  // namespace metamorph

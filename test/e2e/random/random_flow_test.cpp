// Networks that nobody designed go through weave and run: whatever operators, shapes, inputs and outputs meet, the
// result after some dozens of power cuts is the plain program's, and NVM is written for what crosses and no more.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "pipeline/project_folder.h"
#include "powerloss/run/run_fixture.h"
#include "support/random_network.h"
#include "support/tflite_writer.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

using tasks::NvmMode;

constexpr std::uint64_t k_cuts = 30;  // and every write of a commit record

struct Case {
    std::uint64_t seed;
    const char* split;
};

void PrintTo(const Case& value, std::ostream* out) {
    *out << "seed " << value.seed << " --tasks " << value.split;
}

std::filesystem::path write_network(const std::filesystem::path& folder, std::uint64_t seed) {
    const auto bytes = test_support::write_tflite(test_support::random_network(seed));
    const std::filesystem::path path = folder / ("random_" + std::to_string(seed) + ".tflite");
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path;
}

class RandomNetwork : public testing::TestWithParam<Case> {};

TEST_P(RandomNetwork, SurvivesInBothKindsOfMemory) {
    SCOPED_TRACE("mm_write_random_tflite " + std::to_string(GetParam().seed) + " net.tflite; metamorph run net.tflite" +
                 " --tasks " + GetParam().split + " --cut " + std::to_string(k_cuts));
    const auto scratch = ScratchFolder::make("metamorph-random");
    ASSERT_TRUE(scratch.has_value()) << describe(scratch.error());
    pipeline::RunRequest request =
        request_for(write_network(scratch->path(), GetParam().seed), GetParam().split, NvmMode::mapped);
    request.modes = {NvmMode::mapped, NvmMode::bus};
    request.cuts_max = k_cuts;
    request.seed = GetParam().seed;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    ASSERT_EQ(result->woven.size(), 2U);
    expect_all_survived(*result);
}

// Every layer that can be sliced, in three.
class SlicedRandomNetwork : public testing::TestWithParam<Case> {};

TEST_P(SlicedRandomNetwork, SurvivesInBothKindsOfMemory) {
    const auto scratch = ScratchFolder::make("metamorph-random").value();
    const std::filesystem::path path = write_network(scratch.path(), GetParam().seed);
    const auto code = pipeline::generate_code(pipeline::import_model(path).value(), "").value();
    pipeline::RunRequest request = request_for(path, GetParam().split, NvmMode::mapped);
    for (std::size_t i = 0; i < code.calls.size(); ++i) {
        if (const auto& loop = code.calls[i].outer_loop) {
            request.slices.push_back(
                {tasks::SliceRequest::Kind::layer, std::to_string(i), std::min<std::int64_t>(loop->rounds, 3)});
        }
    }
    ASSERT_FALSE(request.slices.empty());
    request.modes = {NvmMode::mapped, NvmMode::bus};
    request.cuts_max = k_cuts;
    request.seed = GetParam().seed;
    const auto result = pipeline::run(request);
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    expect_all_survived(*result);
    for (const report::WovenResult& woven : result->woven) {
        EXPECT_GT(woven.tasks.size(), code.calls.size() + 2);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlicedRandomNetwork,
                         testing::Values(Case{3, "2"}, Case{8, "layer"}, Case{9, "whole"}, Case{16, "layer"},
                                         Case{35, "2"}),
                         [](const auto& one) {
                             return "seed_" + std::to_string(one.param.seed) + "_" + one.param.split;
                         });

// 3: two outputs; 6: three; 8: float32 input; 9: one of each; 16 and 35: two inputs, float32 outputs.
INSTANTIATE_TEST_SUITE_P(Seeds, RandomNetwork,
                         testing::Values(Case{3, "2"}, Case{6, "3"}, Case{8, "2"}, Case{9, "whole"}, Case{16, "2"},
                                         Case{35, "layer"}),
                         [](const auto& one) {
                             return "seed_" + std::to_string(one.param.seed) + "_" + one.param.split;
                         });

}  // namespace
}  // namespace metamorph

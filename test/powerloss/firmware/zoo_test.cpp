// Public models, on every emulated device: proven, no more written to NVM than must be, and the outputs of the emulated
// processor equal to those of the reference kernels. Times are printed, not asserted.
#include <chrono>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pipeline/inputs.h"
#include "powerloss/firmware/firmware_fixture.h"
#include "powerloss/run/run_fixture.h"

namespace metamorph {
namespace {

constexpr std::size_t k_inferences = 2;

struct ZooModel {
    const char* name;
    const char* list;  // a split
};

// Golden cases of a model: seeded inputs and what the reference kernels make of them (its README.md).
class Golden {
public:
    explicit Golden(const std::filesystem::path& model) {
        const auto path = model.parent_path() / "golden" / model.stem().concat(".json");
        std::ifstream file(path);
        EXPECT_TRUE(file.is_open()) << path;
        m_json = nlohmann::json::parse(file, nullptr, false);
        EXPECT_FALSE(m_json.is_discarded()) << path;
    }
    std::string inputs() const {
        const auto bytes = m_json.at("input_bytes").at(0).get<std::size_t>();
        std::string all;
        for (std::size_t i = 0; i < k_inferences; ++i) {
            const nlohmann::json& one = m_json.at("cases").at(i);
            all += pipeline::random_inputs(one.at("seed").get<std::uint64_t>(), bytes);
            EXPECT_EQ(static_cast<signed char>(all[i * bytes]), one.at("input_first8").at(0).get<int>());
        }
        return all;
    }
    std::vector<std::string> outputs() const {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < k_inferences; ++i) {
            for (const nlohmann::json& tensor : m_json.at("cases").at(i).at("outputs")) {
                std::string& bytes = all.emplace_back();
                for (const nlohmann::json& value : tensor) {
                    bytes += static_cast<char>(value.get<int>());
                }
            }
        }
        return all;
    }

private:
    nlohmann::json m_json;
};

class Zoo : public testing::TestWithParam<std::tuple<ZooModel, std::string, bool>> {};

TEST_P(Zoo, IsProvenAndGolden) {
    const auto& [named, device, is_list] = GetParam();
    const auto model = zoo_model(std::string(named.name) + ".tflite");
    if (!model) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    if (const auto missing = missing_compiler(device)) {
        GTEST_SKIP() << *missing;
    }
    const Golden golden(*model);
    const auto scratch = ScratchFolder::make("metamorph-zoo");
    ASSERT_TRUE(scratch.has_value());
    pipeline::VerifyRequest request = verify_request(*model, is_list ? named.list : "layer", {device});
    request.inferences = static_cast<int>(k_inferences);
    request.inputs = scratch->path() / "inputs";
    request.jobs = 2;
    std::ofstream(request.inputs, std::ios::binary) << golden.inputs();

    const auto began = std::chrono::steady_clock::now();
    const report::VerifyResult result = prove(request);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
    ASSERT_EQ(result.devices.size(), 1U);
    const report::VerifiedDevice& verified = result.devices.front();
    EXPECT_TRUE(verified.is_right()) << print(verified);
    EXPECT_LE(verified.write_ratio(), 1.05);
    if (device == "cortex-m4-mapped") {
        // The list of ResNet-8 cuts through strided shortcuts, so that 6 KiB are copied in runs of 16 and 32 bytes.
        const bool copies = is_list && std::string(named.name) == "pretrainedResnet_quant";
        EXPECT_LE(instructions_each_task(verified), copies ? 3500 : 400);
        EXPECT_TRUE(verified.instruction_ratio() <= 1.03 || std::string(named.name) == "hello_world_int8");
    }
    EXPECT_EQ(verified.outputs, golden.outputs());
    EXPECT_GT(verified.units, 0U);
    fmt::print(
        "{} {} --tasks {}: {:.1f} s in all; recorded in {:.1f} s, searched in {:.1f} s, {} write units, {} boots\n",
        named.name, device, verified.split, elapsed.count(), verified.recording_seconds, verified.search_seconds,
        verified.units, verified.boots);
}

INSTANTIATE_TEST_SUITE_P(Models, Zoo,
                         testing::Combine(testing::Values(ZooModel{"kws_ref_model", "3,3,3,3"},
                                                          ZooModel{"pretrainedResnet_quant", "3,3,3,3,3"},
                                                          ZooModel{"ad01_int8", "3,3,4"},
                                                          ZooModel{"hello_world_int8", "2,1"}),
                                          testing::ValuesIn(emulated_devices()), testing::Bool()),
                         [](const auto& each) {
                             std::string name = std::string(std::get<0>(each.param).name) + "_" +
                                                std::get<1>(each.param) +
                                                (std::get<2>(each.param) ? "_list" : "_layer");
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace metamorph

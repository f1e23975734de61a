// The whole way of the generators of frameworks/ with the real packages: woven a task a layer and in two, proven for
// any number of cuts on the Cortex-M4, and cut here. What is written to NVM is held against the bytes that really
// cross, as recorded when the code runs.
#include <nlohmann/json.hpp>

#include "crossing_bytes.h"
#include "framework_fixture.h"
#include "pipeline/pipeline.h"
#include "pipeline/run.h"
#include "pipeline/verify.h"

namespace metamorph {
namespace {

struct Way {
    const char* name;
    const char* framework;
    const char* model;
    std::vector<std::pair<std::string, std::string>> options = {};
    bool is_measured = true;  // of what crosses
    double write_ratio_max = 1.05;
    std::vector<std::string> slices = {};
    std::vector<std::string> splits = {"layer", "2"};  // of more than one it is cut here, too
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << way.name;
}

class WovenPeer : public FrameworkPeer, public testing::WithParamInterface<Way> {
protected:
    fs::path model() const {
        const fs::path ours = k_digits / GetParam().model;
        return fs::exists(ours) ? ours : fs::path(variable("METAMORPH_MODEL_ZOO")) / GetParam().model;
    }

    // By one command, as a user would.
    nlohmann::json verified(const std::string& tasks) const {
        std::vector<std::string> argv{
            METAMORPH_PROGRAM, "verify", model().string(), "--generator",      GetParam().framework,
            "--tasks",         tasks,    "--device",       "cortex-m4-mapped", "-q",
            "--json"};
        for (const auto& [name, value] : GetParam().options) {
            argv.insert(argv.end(), {"--option", name + "=" + value});
        }
        for (const std::string& slices : GetParam().slices) {
            argv.insert(argv.end(), {"--slice", slices});
        }
        return nlohmann::json::parse(run(argv).output, nullptr, false)["devices"][0];
    }

    // The same, of code that is there already: the generator need not run again.
    nlohmann::json verified(const std::string& tasks, const generate::ForeignCode& code) const {
        pipeline::VerifyRequest request;
        request.model = model();
        request.foreign = &code;
        request.split = tasks::parse_split(tasks).value();
        request.devices = {app::find_device("cortex-m4-mapped").value()};
        const auto result = pipeline::verify(request);
        EXPECT_TRUE(result) << describe(result.error());
        return result ? nlohmann::json::parse(report::json_of(*result).dump())["devices"][0] : nlohmann::json();
    }

    // Two real inputs: digits, as the network takes them; noise where it is not for digits.
    static std::vector<std::string> inputs(std::size_t bytes) {
        const Digits images = digits();
        const std::string& all = bytes == k_pixels ? images.bytes : images.floats;
        return {all.substr(0, bytes), all.substr(bytes, bytes)};
    }

    pipeline::Woven woven(const generate::ForeignCode& code, const std::string& tasks) const {
        pipeline::WeaveRequest request;
        request.model = model();
        request.split = tasks::parse_split(tasks).value();
        for (const std::string& slices : GetParam().slices) {
            request.slices.push_back(tasks::parse_slice(slices).value());
        }
        auto woven = pipeline::weave_foreign(code, request);
        EXPECT_TRUE(woven) << describe(woven.error());
        return woven ? std::move(*woven) : pipeline::Woven{};
    }

    void expect_little_is_written(const tasks::Chain& chain, const nlohmann::json& device) {
        const std::int64_t crossing = recorded_crossing_bytes(chain, m_recordings);
        const auto written = device["woven_each"]["nvm_bytes_written"].get<std::int64_t>() -
                             device["commit_record_bytes_per_inference"].get<std::int64_t>();
        const double ratio = static_cast<double>(written) / static_cast<double>(crossing);
        std::cout << fmt::format("{} tasks: {} bytes written, {} really cross: {:.4f}\n", chain.tasks(), written,
                                 crossing, ratio);
        EXPECT_GE(written, crossing);
        EXPECT_LE(ratio, GetParam().write_ratio_max);
    }

    std::vector<cfront::Recording> m_recordings;
};

TEST_P(WovenPeer, SurvivesEveryCutAndWritesLittleMoreThanWhatCrosses) {
    ::setenv("METAMORPH_EMU", (fs::path(METAMORPH_PROGRAM).parent_path() / "metamorph-emu").c_str(), 1);
    if (!fs::exists(model())) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    need(GetParam().framework);
    if (IsSkipped()) {
        return;
    }
    const generate::ForeignCode code = generated(GetParam().framework, model(), GetParam().options);
    const bool is_sliced = !GetParam().slices.empty();
    for (const std::string& tasks : GetParam().splits) {
        const pipeline::Woven woven_here = woven(code, tasks);
        ASSERT_NE(woven_here.chain, nullptr);
        if (GetParam().is_measured && m_recordings.empty()) {
            const auto bytes = *woven_here.chain->object(woven_here.chain->inputs.front()).bytes;
            const auto recordings = record_inferences(woven_here, inputs(static_cast<std::size_t>(bytes)));
            ASSERT_TRUE(recordings) << describe(recordings.error());
            m_recordings = *recordings;
        }
        const nlohmann::json proof = tasks == "layer" ? verified(tasks) : verified(tasks, code);
        ASSERT_TRUE(proof.is_object());
        EXPECT_EQ(proof["right"], true) << proof;
        EXPECT_EQ(proof["method"], "graph");
        if (is_sliced) {
            EXPECT_GT(woven_here.chain->tasks(), static_cast<int>(woven_here.code.calls.size()) + 2);
        }
        if (GetParam().is_measured) {
            expect_little_is_written(*woven_here.chain, proof);
        }
    }
    if (GetParam().splits.size() == 1) {
        return;
    }
    pipeline::RunRequest cutting;
    cutting.model = model();
    cutting.foreign = &code;
    cutting.modes = {tasks::NvmMode::bus};
    cutting.cuts_max = 300;
    cutting.second_max = 1;
    const auto here = pipeline::run(cutting);
    ASSERT_TRUE(here) << describe(here.error());
    EXPECT_TRUE(here->is_right()) << report::text_of(*here);
}

INSTANTIATE_TEST_SUITE_P(
    Models, WovenPeer,
    testing::Values(Way{"EmxFloat", "emx-onnx-cgen", "digits_float.onnx"},
                    Way{"EmxQdq", "emx-onnx-cgen", "digits_qdq.onnx"}, Way{"TvmFloat", "tvm", "digits_float.onnx"},
                    Way{"TvmQdq", "tvm", "digits_qdq.onnx"},
                    Way{"BakennPortable", "bakenn", "digits_int8_logits.tflite"},
                    Way{"BakennCmsisNn", "bakenn", "digits_int8_logits.tflite", {{"kernels", "cmsis-nn"}}},
                    Way{"BakennAnomaly", "bakenn", "ad01_int8.tflite"},
                    Way{"TvmOldBlocks", "tvm-mlf", METAMORPH_SOURCE_DIR "/test/e2e/tvm_mlf/blocks"},
                    Way{"TvmOldPools", "tvm-mlf", METAMORPH_SOURCE_DIR "/test/e2e/tvm_mlf/pools"},
                    Way{"EmxSliced", "emx-onnx-cgen", "digits_float.onnx", {}, false, 0, {"0=4", "4=3"}, {"layer"}},
                    Way{"EmlearnLoop", "emlearn", "digits_dense.pkl", {{"layers", "loop"}}, false, 0, {}, {"layer"}},
                    Way{"EmlearnTrees", "emlearn", "digits_trees.pkl", {}, false},
                    Way{"EmlearnDense", "emlearn", "digits_dense.pkl", {}, false}),
    [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace metamorph

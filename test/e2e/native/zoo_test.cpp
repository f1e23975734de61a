// Every operator's output on the public models equals the golden files of the reference kernels, bit for bit; compiled
// by gcc with optimisation and by clang with sanitizers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "e2e/native/generated_program.h"
#include "generate/generator.h"
#include "import/import.h"

namespace metamorph {
namespace {

using test::Inference;
using test::ProgramRun;
using test::ScratchFolder;

class Zoo : public ::testing::TestWithParam<const char*> {};

nlohmann::json golden_of(const std::filesystem::path& zoo, const std::string& name) {
    std::ifstream file(zoo / "golden" / (name + ".json"));
    return nlohmann::json::parse(file);
}

void compare(const nlohmann::json& golden, const ProgramRun& run) {
    ASSERT_EQ(run.error, "");
    ASSERT_EQ(run.inferences.size(), golden["cases"].size());
    for (std::size_t k = 0; k < run.inferences.size(); ++k) {
        const nlohmann::json& expected = golden["cases"][k];
        const Inference& got = run.inferences[k];
        ASSERT_EQ(got.operators.size(), expected["ops"].size());
        for (std::size_t i = 0; i < got.operators.size(); ++i) {
            EXPECT_EQ(got.operators[i], expected["ops"][i]["fnv1a"].get<std::string>())
                << "case " << k << ", operator " << i << " (" << expected["ops"][i]["op"] << ")";
        }
        EXPECT_EQ(got.outputs[0], expected["output_fnv1a"].get<std::string>()) << "case " << k;
    }
}

TEST_P(Zoo, EveryOperatorEqualsTheReference) {
    const char* const zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO names no folder of models";
    }
    const std::string name = GetParam();
    const std::filesystem::path model = std::filesystem::path(zoo) / (name + ".tflite");
    const auto graph = import::import_file(model);
    ASSERT_TRUE(graph) << describe(graph.error());
    const auto code = generate::generate_native(*graph, {});
    ASSERT_TRUE(code) << describe(code.error());

    const nlohmann::json golden = golden_of(zoo, name);
    std::vector<std::vector<std::uint8_t>> inputs;
    for (const nlohmann::json& one : golden["cases"]) {
        inputs.push_back(
            test::seeded_bytes(one["seed"].get<std::uint32_t>(), golden["input_bytes"][0].get<std::int64_t>()));
        ASSERT_EQ(test::fnv1a32(inputs.back()), one["input_fnv1a"].get<std::string>());
    }
    const ScratchFolder folder("zoo-" + name);
    compare(golden, test::build_and_run(*code, folder.path() / "plain", "gcc -O2 -w", inputs));
    compare(golden,
            test::build_and_run(*code, folder.path() / "sanitized",
                                "clang-19 -O1 -w -fsanitize=address,undefined -fno-sanitize-recover=all", inputs));
}

INSTANTIATE_TEST_SUITE_P(Models, Zoo,
                         ::testing::Values("kws_ref_model", "pretrainedResnet_quant", "ad01_int8", "hello_world_int8"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace metamorph

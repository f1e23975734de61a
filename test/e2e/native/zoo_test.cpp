// Every operator's output on the public models and on our own equals the golden files of the reference kernels, bit for
// bit; compiled by gcc with optimisation and by clang with sanitizers.
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

nlohmann::json golden_of(const std::filesystem::path& goldens, const std::string& name) {
    std::ifstream file(goldens / (name + ".json"));
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

// Compares one model with its golden file, built by gcc and by clang with sanitizers.
void check(const std::filesystem::path& models, const std::filesystem::path& goldens, const std::string& name) {
    const auto graph = import::import_file(models / (name + ".tflite"));
    ASSERT_TRUE(graph) << describe(graph.error());
    const auto code = generate::generate_native(*graph, {});
    ASSERT_TRUE(code) << describe(code.error());

    const nlohmann::json golden = golden_of(goldens, name);
    std::vector<std::vector<std::uint8_t>> inputs;
    for (const nlohmann::json& one : golden["cases"]) {
        inputs.push_back(
            test::seeded_bytes(one["seed"].get<std::uint32_t>(), golden["input_bytes"][0].get<std::int64_t>()));
        ASSERT_EQ(test::fnv1a32(inputs.back()), one["input_fnv1a"].get<std::string>());
    }
    const ScratchFolder folder("zoo-" + name);
    compare(golden, test::build_and_run(*code, folder.path() / "plain", "gcc -O2 -w", inputs));
    compare(golden, test::build_and_run(*code, folder.path() / "sanitized",
                                        "clang-19 -O1 -w -fsanitize=address,undefined -fno-sanitize-recover=all",
                                        inputs, test::Units::one_in_all));
}

TEST_P(Zoo, EveryOperatorEqualsTheReference) {
    const char* const zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO names no folder of models";
    }
    check(zoo, std::filesystem::path(zoo) / "golden", GetParam());
}

INSTANTIATE_TEST_SUITE_P(Models, Zoo,
                         ::testing::Values("kws_ref_model", "pretrainedResnet_quant", "ad01_int8", "hello_world_int8"),
                         [](const auto& one) { return std::string(one.param); });

// Our own model; its golden files come from test/peers/write_golden.py.
class Digits : public ::testing::TestWithParam<const char*> {};

TEST_P(Digits, EveryOperatorEqualsTheReference) {
    const std::filesystem::path source = METAMORPH_SOURCE_DIR;
    check(source / "models/digits", source / "test/e2e/native/golden", GetParam());
}

INSTANTIATE_TEST_SUITE_P(Models, Digits, ::testing::Values("digits_int8", "digits_int8_logits"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace metamorph

// A network whose layers run slice by slice gives what it gives whole, bit for bit: the small graphs, which have every
// operator, our own model, and the public ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "e2e/native/generated_program.h"
#include "generate/generator.h"
#include "generate/slices.h"
#include "golden/native/small_graphs.h"
#include "import/import.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

std::vector<std::vector<std::uint8_t>> inputs_for(const generate::GeneratedCode& code) {
    std::int64_t bytes = 0;
    for (const generate::EntryParameter& p : code.parameters) {
        bytes += p.role == generate::EntryParameter::Role::input ? p.bytes : 0;
    }
    return {test::seeded_bytes(7, bytes), test::seeded_bytes(8, bytes)};
}

// `most` slices of every layer, or as many as it has rounds.
std::vector<int> slices_of(const generate::GeneratedCode& code, std::int64_t most) {
    std::vector<int> slices;
    for (const generate::EntryCall& call : code.calls) {
        slices.push_back(static_cast<int>(call.outer_loop ? std::min(call.outer_loop->rounds, most) : 1));
    }
    return slices;
}

std::vector<std::string> outputs_of(const generate::GeneratedCode& code, const fs::path& folder) {
    const test::ProgramRun run =
        test::build_and_run(code, folder, "clang-19 -O1 -w -fsanitize=address,undefined -fno-sanitize-recover=all",
                            inputs_for(code), test::Units::one_in_all);
    EXPECT_EQ(run.error, "");
    std::vector<std::string> outputs;
    for (const test::Inference& inference : run.inferences) {
        outputs.insert(outputs.end(), inference.hex_outputs.begin(), inference.hex_outputs.end());
    }
    return outputs;
}

void expect_slices_equal_the_whole(const graph::Graph& graph, const std::vector<std::int64_t>& counts) {
    const auto code = generate::generate_native(graph, {});
    ASSERT_TRUE(code) << describe(code.error());
    const test::ScratchFolder folder("slices-" + code->prefix);
    const std::vector<std::string> expected = outputs_of(*code, folder.path() / "whole");
    ASSERT_FALSE(expected.empty());
    for (const std::int64_t most : counts) {
        const std::vector<int> slices = slices_of(*code, most);
        EXPECT_GT(*std::max_element(slices.begin(), slices.end()), 1);
        generate::GeneratedCode sliced = *code;
        sliced.files.at(code->entry_source) = generate::sliced_entry(*code, slices);
        EXPECT_EQ(outputs_of(sliced, folder.path() / std::to_string(most)), expected) << most << " slices a layer";
    }
}

class SlicedSmallGraph : public ::testing::TestWithParam<int> {};

TEST_P(SlicedSmallGraph, EqualsTheWhole) {
    expect_slices_equal_the_whole(test::small_graphs()[static_cast<std::size_t>(GetParam())].graph, {2, 3, 5, 1000});
}

INSTANTIATE_TEST_SUITE_P(Small, SlicedSmallGraph, ::testing::Range(0, 4), [](const auto& one) {
    return test::small_graphs()[static_cast<std::size_t>(one.param)].name;
});

TEST(SlicedModel, DigitsEqualTheWhole) {
    const auto graph = import::import_file(fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite");
    ASSERT_TRUE(graph) << describe(graph.error());
    expect_slices_equal_the_whole(*graph, {2, 3, 4, 7, 1000});
}

class SlicedZoo : public ::testing::TestWithParam<const char*> {};

TEST_P(SlicedZoo, EqualsTheWhole) {
    const char* const zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO names no folder of models";
    }
    const auto graph = import::import_file(fs::path(zoo) / (std::string(GetParam()) + ".tflite"));
    ASSERT_TRUE(graph) << describe(graph.error());
    expect_slices_equal_the_whole(*graph, {3, 8});
}

INSTANTIATE_TEST_SUITE_P(Models, SlicedZoo, ::testing::Values("kws_ref_model", "pretrainedResnet_quant", "ad01_int8"),
                         [](const auto& one) { return std::string(one.param); });

// The comparison sees a slice that is left out.
TEST(SlicedModel, AMissingSliceIsSeen) {
    const test::SmallGraph small = test::small_graphs().front();
    const auto code = generate::generate_native(small.graph, {});
    ASSERT_TRUE(code) << describe(code.error());
    generate::GeneratedCode sliced = *code;
    std::string& entry = sliced.files.at(code->entry_source);
    entry = generate::sliced_entry(*code, slices_of(*code, 2));
    const std::string second = code->calls.back().outer_loop.value().function;
    const std::size_t at = entry.rfind("    " + second);
    ASSERT_NE(at, std::string::npos);
    entry.erase(at, entry.find('\n', at) + 1 - at);
    const test::ScratchFolder folder("missing-slice");
    EXPECT_NE(outputs_of(sliced, folder.path() / "sliced"), outputs_of(*code, folder.path() / "whole"));
}

}  // namespace
}  // namespace metamorph

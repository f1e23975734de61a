// The loop that the generator declares for each layer is the one that the front end finds in the C by itself.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cfront/front_end.h"
#include "e2e/native/generated_program.h"
#include "generate/generator.h"
#include "golden/native/small_graphs.h"
#include "import/import.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

// Returns how many loops were found.
int expect_declared_loops_are_found(const graph::Graph& graph) {
    const auto code = generate::generate_native(graph, {});
    EXPECT_TRUE(code) << describe(code.error());
    const test::ScratchFolder folder("outer-loops-" + code->prefix);
    test::write_files(*code, folder.path());
    cfront::FrontEndInput input;
    input.root = folder.path();
    input.sources = code->sources;
    input.include_dirs = {code->include_dir};
    input.entry = code->entry;
    input.outer_loops = cfront::OuterLoops::found;
    const auto model = cfront::analyse(input);
    EXPECT_TRUE(model) << describe(model.error());
    EXPECT_EQ(model->entry.steps.size(), code->calls.size());
    int found = 0;
    for (std::size_t i = 0; i < code->calls.size(); ++i) {
        const generate::EntryCall& call = code->calls[i];
        const cfront::OuterLoop& loop = model->entry.steps[i].outer_loop.value();
        if (!call.outer_loop) {
            // The front end sees more: before the last loop of Softmax all else can be done again, for each slice.
            const bool is_softmax = call.function.find("softmax") != std::string::npos;
            EXPECT_EQ(loop.rounds, is_softmax ? call.output_bytes : 0) << call.function << ": " << loop.why_not;
        } else if (loop.rounds == 0) {  // loops one behind the other share the generator's rounds
            EXPECT_NE(loop.why_not.find("several loops, one behind the other"), std::string::npos)
                << call.function << ": " << loop.why_not;
        } else {
            // Positions of an image are two loops: the front end finds the outer one, rows.
            const bool is_image = call.outer_loop->unit == "positions" && loop.rounds < call.outer_loop->rounds;
            EXPECT_EQ(is_image ? call.outer_loop->rounds % loop.rounds : loop.rounds - call.outer_loop->rounds, 0)
                << call.function << ": " << loop.rounds << " of " << call.outer_loop->rounds;
            ++found;
        }
    }
    return found;
}

TEST(OuterLoops, OfTheSmallGraphs) {
    int found = 0;
    for (const test::SmallGraph& small : test::small_graphs()) {
        found += expect_declared_loops_are_found(small.graph);
    }
    EXPECT_GE(found, 14);
}

TEST(OuterLoops, OfDigits) {
    const auto graph = import::import_file(fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite");
    ASSERT_TRUE(graph) << describe(graph.error());
    EXPECT_EQ(expect_declared_loops_are_found(*graph), 5);  // all but Softmax
}

TEST(OuterLoops, OfThePublicModels) {
    const char* const zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO names no folder of models";
    }
    for (const char* name : {"kws_ref_model", "pretrainedResnet_quant", "ad01_int8"}) {
        const auto graph = import::import_file(fs::path(zoo) / (std::string(name) + ".tflite"));
        ASSERT_TRUE(graph) << describe(graph.error());
        EXPECT_GE(expect_declared_loops_are_found(*graph), 8) << name;
    }
}

}  // namespace
}  // namespace metamorph

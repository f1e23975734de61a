// Public models, where METAMORPH_MODEL_ZOO names a folder that has them: operators and multiply-accumulates.
#include <gtest/gtest.h>

#include <cstdlib>

#include "import/import.h"

namespace metamorph {
namespace {

std::filesystem::path model_zoo() {
    const char* folder = std::getenv("METAMORPH_MODEL_ZOO");
    return folder == nullptr ? "" : folder;
}

TEST(SharedModels, HaveTheirKnownCosts) {
    if (model_zoo().empty()) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    struct Row {
        const char* name;
        std::size_t operators;
        std::int64_t macs;
    };
    for (const Row& row : {Row{"ad01_int8", 10, 264'192}, Row{"hello_world_int8", 3, 288},
                           Row{"kws_ref_model", 13, 2'656'768}, Row{"pretrainedResnet_quant", 16, 12'501'632}}) {
        const auto graph = import::import_file(model_zoo() / (std::string(row.name) + ".tflite"));
        ASSERT_TRUE(graph) << describe(graph.error());
        EXPECT_EQ(graph->name, row.name);
        EXPECT_EQ(graph->operators.size(), row.operators);
        std::int64_t macs = 0;
        for (const graph::Operator& op : graph->operators) {
            macs += graph::macs(*graph, op);
        }
        EXPECT_EQ(macs, row.macs);
    }
}

TEST(SharedModels, FloatNetworkIsRefused) {
    if (model_zoo().empty()) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    const auto graph = import::import_file(model_zoo() / "hello_world_float.tflite");
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().code, ErrorCode::model);
    EXPECT_EQ(graph.error().where, "operator 0 (FULLY_CONNECTED)");
    EXPECT_NE(graph.error().message.find("is float32; supported: int8"), std::string::npos) << graph.error().message;
}

}  // namespace
}  // namespace metamorph

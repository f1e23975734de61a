// Generators side by side on an emulated board: what is measured, what is skipped and why, and whose answers are right.
#include <fstream>

#include "pipeline/compare.h"
#include "powerloss/firmware/firmware_fixture.h"

namespace metamorph {
namespace {

const std::filesystem::path k_digits = std::filesystem::path(METAMORPH_SOURCE_DIR) / "models/digits";

class Compared : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = missing_compiler("cortex-m4-mapped")) {
            GTEST_SKIP() << *missing;
        }
        m_request.device = app::find_device("cortex-m4-mapped").value();
        m_request.models = {k_digits / "digits_int8.tflite", k_digits / "digits_int8_logits.tflite"};
        m_request.candidates = {{"native", {}}, {"emx-onnx-cgen", {}}};
        m_request.dataset = k_digits / "digits_heldout.bin";
        m_request.split = tasks::parse_split("3,3").value();
        m_request.inferences = 8;
    }
    std::string refusal() const {
        const auto refused = pipeline::compare(m_request);
        return refused ? "not refused" : refused.error().message;
    }
    pipeline::CompareRequest m_request;
};

TEST_F(Compared, NativeIsTheReferenceAndAGeneratorWithoutAModelIsSkipped) {
    const auto comparison = pipeline::compare(m_request);
    ASSERT_TRUE(comparison.has_value()) << describe(comparison.error());
    ASSERT_EQ(comparison->rows.size(), 2U);
    const report::ComparedGenerator& native = comparison->rows[0];
    ASSERT_TRUE(native.measured) << native.problem;
    EXPECT_EQ(native.model, "digits_int8.tflite");
    EXPECT_FALSE(native.difference) << "it is what others are compared with";
    EXPECT_EQ(native.right, 8) << "of the first eight images";
    EXPECT_TRUE(native.measured->is_equal_uninterrupted);
    EXPECT_EQ(native.measured->outputs.size(), 8U);
    const report::MemoryUse &plain = native.measured->plain_memory, &woven = native.measured->woven_memory;
    EXPECT_GT(plain.constants, 3870U) << "the network has so many weights, a byte each";
    EXPECT_GT(plain.variables, 2048U) << "the arena: 8 x 8 x 16 values, twice";
    EXPECT_GT(plain.stack, 64U);
    EXPECT_LT(plain.stack, 1024U);
    EXPECT_GT(woven.code, plain.code + 1000) << "the runtime";
    const report::ComparedGenerator& other = comparison->rows[1];
    EXPECT_TRUE(other.is_skipped);
    EXPECT_EQ(other.problem, "it takes .onnx; give the network in such a format, too");
    EXPECT_TRUE(comparison->is_right());
    const std::string text = report::text_of(*comparison);
    EXPECT_NE(text.find("emx-onnx-cgen: skipped: it takes .onnx"), std::string::npos) << text;
    EXPECT_NE(text.find("8/8"), std::string::npos) << text;
    EXPECT_GT(native.measured->plain_each.cycles, static_cast<double>(native.measured->plain_each.instructions));
    EXPECT_NE(text.find("cycles"), std::string::npos) << text;
    const auto json = report::json_of(*comparison);
    EXPECT_EQ(json["generators"][0]["measured"]["method"], "uninterrupted");
    EXPECT_EQ(json["generators"][1]["state"], "skipped");
}

TEST_F(Compared, WhatDoesNotFitTogetherIsRefusedBeforeAnythingRuns) {
    m_request.inferences = 361;
    EXPECT_EQ(refusal(), "the data set has 360 images, 361 inferences are asked for");
    m_request.models = {k_digits / "digits_float.onnx"};
    EXPECT_EQ(refusal(), "its images are quantised to the int8 input of a network");
    m_request.candidates = {{"native", {}}, {"emx-onnx-cgn", {}}};
    EXPECT_NE(refusal().find("emx-onnx-cgn"), std::string::npos) << refusal();
    m_request.candidates = {{"native", {}}, {"ai8x", {}}};
    EXPECT_EQ(refusal(), "ai8x is not compared: its code works with an accelerator, which no emulated device has");
}

TEST_F(Compared, NobodyWithFiguresIsNoSuccess) {
    m_request.models = {k_digits / "digits_float.onnx"};
    m_request.candidates = {{"native", {}}};
    m_request.dataset.clear();
    const auto comparison = pipeline::compare(m_request);
    ASSERT_TRUE(comparison.has_value()) << describe(comparison.error());
    EXPECT_EQ(comparison->rows[0].problem, "it takes .tflite; give the network in such a format, too");
    EXPECT_FALSE(comparison->is_right());
}

}  // namespace
}  // namespace metamorph

#include "pipeline/real_values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace metamorph::pipeline {
namespace {

std::string floats(const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

TEST(RealValues, QuantisedInputsBecomeFloats) {
    EXPECT_EQ(floats_of(std::string("\x80\x00\x7f", 3), {0.5F, -128}), floats({0.0F, 64.0F, 127.5F}));
}

TEST(RealValues, OutputsOfBothFormats) {
    EXPECT_EQ(values_of(std::string("\xff\x01", 2), {2, Int8Scale{2.0F, 1}}), (std::vector<double>{-4, 0}));
    EXPECT_EQ(values_of(floats({1.5F, -2.0F}), {2, {}}), (std::vector<double>{1.5, -2}));
    EXPECT_FALSE(values_of(floats({1.5F}), {2, {}})) << "too few bytes";
    EXPECT_EQ(answer_of({1, 3, 3}), 1);
    EXPECT_EQ(answer_of({}), -1);
}

TEST(RealValues, DifferenceOverAllInferences) {
    const Outputs reference{{std::string("\x01\x02", 2), std::string("\x05\x04", 2)}, {2, Int8Scale{0.5F, 0}}};
    const report::OutputDifference same = difference_of(reference, reference);
    EXPECT_TRUE(same.is_exact);
    EXPECT_EQ(same.greatest, 0.0);
    EXPECT_EQ(same.same_answer, 2);

    const Outputs ours{{floats({0.5F, 1.25F}), floats({0.0F, 2.0F})}, {2, {}}};
    const report::OutputDifference difference = difference_of(ours, reference);
    EXPECT_FALSE(difference.is_exact);
    EXPECT_EQ(difference.greatest, 2.5);
    EXPECT_EQ(difference.same_answer, 1) << "the second one answers 1, the reference 0";
}

TEST(RealValues, WhatCannotBeComparedHasNoDifference) {
    const Outputs reference{{floats({1.0F, 2.0F})}, {2, {}}};
    EXPECT_FALSE(difference_of({{floats({1.0F, 2.0F, 3.0F})}, {3, {}}}, reference).greatest) << "other numbers";
    EXPECT_FALSE(
        difference_of({{floats({1.0F, std::numeric_limits<float>::quiet_NaN()})}, {2, {}}}, reference).greatest);
    EXPECT_FALSE(difference_of({{}, {2, {}}}, reference).greatest) << "an inference is missing";
}

TEST(RealValues, OnlyTensorsWithOneScale) {
    graph::Tensor tensor;
    EXPECT_FALSE(int8_scale(tensor)) << "not quantised";
    tensor.quantization = graph::Quantization{{0.25F}, {3}, 0};
    ASSERT_TRUE(int8_scale(tensor));
    EXPECT_EQ(int8_scale(tensor)->zero_point, 3);
    tensor.quantization->scale = {0.25F, 0.5F};
    EXPECT_FALSE(int8_scale(tensor));
    tensor.quantization->scale = {0.25F};
    tensor.type = graph::DataType::int16;
    EXPECT_FALSE(int8_scale(tensor));
}

}  // namespace
}  // namespace metamorph::pipeline

#include "tasks/slices.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tasks/classify.h"
#include "tasks/task_plan.h"
#include "unit/tasks/sample_model.h"

namespace metamorph::tasks {
namespace {

using Kind = SliceRequest::Kind;

std::vector<SliceRequest> requests(const std::vector<std::string>& texts) {
    std::vector<SliceRequest> parsed;
    for (const std::string& text : texts) {
        parsed.push_back(parse_slice(text).value());
    }
    return parsed;
}

const std::vector<SliceableLayer> k_layers{{"conv2d_00", "net_conv2d_00", 8, 1, "rows", "", 1024, 9216},
                                           {"pad_01", "net_pad_01", 10, 1, "rows", "", 1600, 0},
                                           {"softmax_02", "net_softmax_02", 0, 1, "", "it is a sum", 10, 0}};

std::vector<int> chosen(const std::vector<std::string>& texts) {
    const auto slices = choose_slices(requests(texts), k_layers);
    EXPECT_TRUE(slices) << describe(slices.error());
    return slices.value_or(std::vector<int>{});
}

void expect_refused(const std::vector<std::string>& texts, const std::string& message, const std::string& hint) {
    const auto slices = choose_slices(requests(texts), k_layers);
    ASSERT_FALSE(slices) << texts.front();
    EXPECT_EQ(slices.error().code, ErrorCode::options);
    EXPECT_EQ(slices.error().where, "--slice");
    EXPECT_NE(slices.error().message.find(message), std::string::npos) << slices.error().message;
    EXPECT_NE(slices.error().hint.find(hint), std::string::npos) << slices.error().hint;
}

TEST(Slices, ReadsEveryForm) {
    EXPECT_EQ(parse_slice("3=4").value(), (SliceRequest{Kind::layer, "3", 4}));
    EXPECT_EQ(parse_slice("conv2d_00=1").value(), (SliceRequest{Kind::layer, "conv2d_00", 1}));
    EXPECT_EQ(parse_slice("auto:4096B").value(), (SliceRequest{Kind::auto_bytes, "", 4096}));
    EXPECT_EQ(parse_slice("auto:50000MACs").value(), (SliceRequest{Kind::auto_macs, "", 50000}));
    for (const char* text : {"3=4", "conv2d_00=1", "auto:4096B", "auto:50000MACs"}) {
        EXPECT_EQ(print(parse_slice(text).value()), text);
    }
}

TEST(Slices, RefusesWhatIsNoSlice) {
    for (const char* text :
         {"", "3", "=4", "3=", "3=0", "3=-1", "3=four", "3=4.5", "3=10001", "auto:", "auto:4096", "auto:B", "auto:0B",
          "auto:4096b", "auto:4KB", "auto:MACs", "auto:-1MACs", "auto:99999999999999999999B"}) {
        const auto request = parse_slice(text);
        ASSERT_FALSE(request) << text;
        EXPECT_EQ(request.error().code, ErrorCode::options);
        EXPECT_NE(request.error().hint.find("write"), std::string::npos) << text;
    }
}

TEST(Slices, NamedLayersGetTheirNumber) {
    EXPECT_EQ(chosen({}), (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(chosen({"0=8"}), (std::vector<int>{8, 1, 1}));
    EXPECT_EQ(chosen({"conv2d_00=3", "net_pad_01=2"}), (std::vector<int>{3, 2, 1}));
    EXPECT_EQ(chosen({"softmax_02=1"}), (std::vector<int>{1, 1, 1}));
}

TEST(Slices, AutomaticOnesTakeTheFewestThatFit) {
    EXPECT_EQ(chosen({"auto:1024B"}), (std::vector<int>{1, 2, 1}));                   // 6 and 4 of 10 rows, 160 B each
    EXPECT_EQ(chosen({"auto:300B"}), (std::vector<int>{4, 10, 1}));                   // 2 of 128 B, 1 of 160 B
    EXPECT_EQ(chosen({"auto:2304MACs"}), (std::vector<int>{4, 1, 1}));                // 2 rows of 1152
    EXPECT_EQ(chosen({"auto:2303MACs"}), (std::vector<int>{8, 1, 1}));                // 1 row
    EXPECT_EQ(chosen({"auto:300B", "auto:1152MACs"}), (std::vector<int>{8, 10, 1}));  // the larger of both
    EXPECT_EQ(chosen({"auto:300B", "0=2"}), (std::vector<int>{2, 10, 1}));            // what is named is exempt
    EXPECT_EQ(chosen({"1=1", "auto:130B"}), (std::vector<int>{8, 1, 1}));
}

TEST(Slices, AutomaticOnesKeepWholeStretchesWhereTheyFit) {
    const std::vector<SliceableLayer> layers{{"conv", "net_conv", 20, 4, "positions", "", 400, 0}};  // 20 B each
    const auto slices = [&](const std::string& text) {
        return choose_slices(requests({text}), layers).value().front();
    };
    EXPECT_EQ(slices("auto:400B"), 1);
    EXPECT_EQ(slices("auto:399B"), 2);  // 16 positions fit, not 20
    EXPECT_EQ(slices("auto:160B"), 3);  // 8 of them
    EXPECT_EQ(slices("auto:140B"), 5);  // 7 would fit: 4
    EXPECT_EQ(slices("auto:79B"), 7);   // 3, no stretch of 4: cut anywhere
    EXPECT_EQ(slices("auto:20B"), 20);
    const std::vector<SliceableLayer> short_layer{{"dense", "net_dense", 20, 16, "channels", "", 20, 0}};
    EXPECT_EQ(choose_slices(requests({"auto:15B"}), short_layer).value().front(), 3);  // 2 would be cut at 16
}

TEST(Slices, RefusalsSayWhyNot) {
    expect_refused({"3=2"}, "there is no layer '3': they go from 0 to 2", "inspect");
    expect_refused({"conv2d_0=2"}, "there is no layer 'conv2d_0'", "did you mean 'conv2d_00'?");
    expect_refused({"0=9"}, "layer 0 (conv2d_00) has 8 rows: it cannot become 9 slices", "--slice 0=8");
    expect_refused({"2=2"}, "layer 2 (softmax_02) cannot be sliced: it is a sum", "leave it whole");
    expect_refused({"0=2", "conv2d_00=3"}, "layer 0 (conv2d_00) is sliced twice", "once");
    expect_refused({"auto:127B"}, "8 rows of 128 bytes of output each: even one of them is more than auto:127B",
                   "--slice 0=1");
    expect_refused({"auto:9B", "0=1", "1=1"},
                   "layer 2 (softmax_02) makes 10 bytes of output, more than auto:9B, and "
                   "cannot be sliced: it is a sum",
                   "--slice 2=1");
    expect_refused({"auto:100MACs"}, "8 rows of 1152 multiply-accumulates each", "--slice 0=1");
}

TEST(Slices, EachIsATaskOfItsOwn) {
    EXPECT_EQ(steps_per_task({1, 1, 1}, {1, 3, 1}), (std::vector<int>{1, 1, 1, 1, 1}));
    EXPECT_EQ(steps_per_task({3}, {1, 1, 1}), (std::vector<int>{3}));
    EXPECT_EQ(steps_per_task({5}, {1, 1, 2, 1, 1}), (std::vector<int>{2, 1, 1, 2}));
    EXPECT_EQ(steps_per_task({2, 3}, {1, 2, 2, 1, 1}), (std::vector<int>{1, 1, 1, 1, 1, 2}));
    EXPECT_EQ(behind_layers({10, 11, 12, 13, 14, 0}, {1, 3, 1}), (std::vector<std::int64_t>{10, 13, 14}));
}

// An input of 8 bytes, a layer of `slices` slices into an arena of 64, and a layer that reads all of it.
SampleModel sliced_model(const std::vector<Use>& writes, const std::vector<Use>& reads) {
    SampleModel sample(8, 8, 64);
    for (std::size_t i = 0; i < writes.size(); ++i) {
        sample.step("conv_rows", {reads[i]}, {writes[i]});
        sample.model().entry.steps.back().arguments.push_back(
            {cfront::Argument::Kind::constant, std::to_string(i), -1, 0, ""});
        sample.model().entry.steps.back().arguments.push_back(
            {cfront::Argument::Kind::constant, std::to_string(i + 1), -1, 0, ""});
    }
    sample.step("dense", {{SampleModel::k_arena, 0, 64}}, {{SampleModel::k_out, 0, 8}});
    return sample;
}
constexpr Use k_all_input{SampleModel::k_in, 0, 8};

TEST(SliceCheck, DisjointWritesAreIndependent) {
    SampleModel sample =
        sliced_model({{SampleModel::k_arena, 0, 32}, {SampleModel::k_arena, 32, 32}}, {k_all_input, k_all_input});
    EXPECT_TRUE(check_slices(sample.model(), {2, 1}));
    EXPECT_TRUE(check_slices(sample.model(), {1, 1, 1}));
}

TEST(SliceCheck, ACommonByteIsRefused) {
    SampleModel sample =
        sliced_model({{SampleModel::k_arena, 0, 33}, {SampleModel::k_arena, 32, 32}}, {k_all_input, k_all_input});
    sample.model().entry.steps[1].accesses.back().write_reason = "guarded store, conv.c:31";
    const auto status = check_slices(sample.model(), {2, 1});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::model);
    EXPECT_NE(status.error().message.find("writes bytes [32, 33) of 'arena'"), std::string::npos)
        << status.error().message;
    EXPECT_NE(status.error().message.find("guarded store, conv.c:31"), std::string::npos);
    EXPECT_TRUE(check_slices(sample.model(), {1, 1, 1})) << "layers of their own may overwrite one another";
}

TEST(SliceCheck, ReadingWhatAnotherWritesIsRefused) {
    // Forwards and backwards in the order of the slices; reading one's own bytes is nobody else's business.
    for (const bool is_forwards : {true, false}) {
        const Use first{SampleModel::k_arena, 0, 32}, second{SampleModel::k_arena, 32, 32};
        const Use foreign{SampleModel::k_arena, is_forwards ? 31 : 32, 1};
        SampleModel sample =
            sliced_model({first, second}, {is_forwards ? k_all_input : foreign, is_forwards ? foreign : k_all_input});
        const auto status = check_slices(sample.model(), {2, 1});
        ASSERT_FALSE(status);
        EXPECT_NE(status.error().message.find("reads bytes [3"), std::string::npos) << status.error().message;
    }
    SampleModel own = sliced_model({{SampleModel::k_arena, 0, 32}, {SampleModel::k_arena, 32, 32}},
                                   {{SampleModel::k_arena, 0, 1}, {SampleModel::k_arena, 40, 1}});
    EXPECT_TRUE(check_slices(own.model(), {2, 1}));
}

TEST(SliceCheck, AnEntryOfOtherStepsIsOurBug) {
    SampleModel sample = sliced_model({{SampleModel::k_arena, 0, 64}}, {k_all_input});
    const auto status = check_slices(sample.model(), {2, 1});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::internal);
}

class SlicedPlan : public testing::TestWithParam<NvmMode> {};

// Every slice writes back what it wrote and no more, and the parts keep one home as large as the whole.
TEST_P(SlicedPlan, CostsNoByteMoreThanTheWholeLayer) {
    SampleModel whole = sliced_model({{SampleModel::k_arena, 0, 64}}, {k_all_input});
    const TaskPlan expected = plan_tasks(whole.chain({1, 1}), GetParam()).value();
    std::vector<Use> writes, reads;
    for (int i = 0; i < 4; ++i) {
        writes.push_back({SampleModel::k_arena, i * 16, 16});
        reads.push_back({SampleModel::k_in, i * 2, 2});
    }
    SampleModel sample = sliced_model(writes, reads);
    Chain chain = sample.chain(steps_per_task({1, 1}, {4, 1}));
    mark_slices(chain, {4, 1});
    EXPECT_EQ(chain.steps[2].label(), "conv_rows [1, 2)");
    EXPECT_EQ(chain.steps[5].label(), "dense");
    for (const char* name : {"conv_rows", "dense"}) {
        cfront::Function function;
        function.name = name;
        sample.model().functions.push_back(function);
    }
    const std::vector<Classified> functions = classify(chain);
    ASSERT_EQ(functions.size(), 2U);
    EXPECT_EQ(functions[0].function_class, FunctionClass::per_task);
    EXPECT_EQ(functions[0].reason, "4 slices: steps 0 to 3, tasks 1 to 4");
    EXPECT_EQ(functions[1].reason, "step 4, task 5");
    const TaskPlan plan = plan_tasks(chain, GetParam()).value();
    EXPECT_EQ(plan.tasks.size(), 7U);
    EXPECT_EQ(plan.crossing_bytes, expected.crossing_bytes);
    EXPECT_EQ(plan.data_bytes_written, expected.data_bytes_written);
    if (GetParam() == NvmMode::bus) {
        for (int task = 1; task <= 4; ++task) {
            const PlannedTask& planned = plan.tasks[static_cast<std::size_t>(task)];
            ASSERT_EQ(planned.commit.size(), 1U);
            EXPECT_EQ(planned.commit.front().offset, (task - 1) * 16);
            EXPECT_EQ(planned.commit.front().bytes, 16);
        }
    } else {
        EXPECT_EQ(plan.nvm_bytes, expected.nvm_bytes);
        for (int step = 1; step <= 4; ++step) {
            const std::int64_t first = plan.pointers.at({1, 1}).at;
            EXPECT_TRUE(plan.pointers.at({step, 1}).in_nvm);
            EXPECT_EQ(plan.pointers.at({step, 1}).at, first + (step - 1) * 16);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, SlicedPlan, testing::Values(NvmMode::mapped, NvmMode::bus),
                         [](const auto& mode) { return mode.param == NvmMode::mapped ? "mapped" : "bus"; });

}  // namespace
}  // namespace metamorph::tasks

// Right programs are proven on every emulated device, and another method comes to the same verdicts.
#include "powerloss/firmware/firmware_fixture.h"
#include "powerloss/run/run_fixture.h"

namespace metamorph {
namespace {

void expect_proven(const report::VerifiedDevice& device) {
    EXPECT_TRUE(device.is_right()) << print(device);
    EXPECT_GT(device.units, 100U) << device.device;
    EXPECT_GT(device.boots, 500U) << device.device;
    EXPECT_LE(device.write_ratio(), 1.05) << device.device;
}

void expect_sum(const std::vector<report::ExecutedPart>& parts, const report::Executed& whole) {
    report::Executed sum;
    for (const report::ExecutedPart& part : parts) {
        const report::Executed& e = part.executed;
        sum.instructions += e.instructions, sum.loads += e.loads, sum.stores += e.stores;
        sum.nvm_bytes_read += e.nvm_bytes_read, sum.nvm_bytes_written += e.nvm_bytes_written;
        sum.bus_bytes += e.bus_bytes, sum.cycles += e.cycles, sum.microjoules += e.microjoules;
    }
    EXPECT_EQ(sum.instructions, whole.instructions);
    EXPECT_EQ(sum.loads, whole.loads);
    EXPECT_EQ(sum.stores, whole.stores);
    EXPECT_EQ(sum.nvm_bytes_read, whole.nvm_bytes_read);
    EXPECT_EQ(sum.nvm_bytes_written, whole.nvm_bytes_written);
    EXPECT_EQ(sum.bus_bytes, whole.bus_bytes);
    EXPECT_NEAR(sum.cycles, whole.cycles, whole.cycles * 1e-9);
    EXPECT_NEAR(sum.microjoules, whole.microjoules, whole.microjoules * 1e-9);
}

// By task and by function, what is counted adds up to an inference, in which every task commits.
void expect_sums(const report::VerifiedDevice& device) {
    expect_sum(device.by_function, device.woven_each);
    expect_sum(device.by_task, device.woven_each);
    ASSERT_EQ(device.by_task.size(), device.tasks.size());
    for (const report::ExecutedPart& part : device.by_task) {
        EXPECT_GE(part.executed.nvm_bytes_written, 16U) << part.name << " writes a record at least";
        EXPECT_GT(part.executed.cycles, static_cast<double>(part.executed.instructions)) << part.name;
    }
    EXPECT_EQ(device.woven_each.bus_bytes > 0, device.nvm == "bus");
}

std::string name_of(std::string device) {
    std::replace(device.begin(), device.end(), '-', '_');
    return device;
}

class Digits : public testing::TestWithParam<std::tuple<std::string, const char*>> {};

TEST_P(Digits, AreProven) {
    const auto& [device, split] = GetParam();
    if (const auto missing = missing_compiler(device)) {
        GTEST_SKIP() << *missing;
    }
    const report::VerifyResult result = prove(verify_request(digits_model(), split, {device}));
    ASSERT_EQ(result.devices.size(), 1U);
    expect_proven(result.devices.front());
    EXPECT_EQ(result.devices.front().method, "graph");
    if (device == "cortex-m4-mapped") {
        EXPECT_LE(instructions_each_task(result.devices.front()), 400);
    }
    expect_sums(result.devices.front());
}

INSTANTIATE_TEST_SUITE_P(Proof, Digits,
                         testing::Combine(testing::ValuesIn(emulated_devices()),
                                          testing::Values("3,3", "layer", "whole")),
                         [](const auto& one) {
                             const std::string split = std::get<1>(one.param);
                             return name_of(std::get<0>(one.param)) + "_" + (split == "3,3" ? "3_3" : split);
                         });

class DigitsByClang : public testing::TestWithParam<std::string> {};

TEST_P(DigitsByClang, AreProven) {
    if (const auto missing = missing_compiler(GetParam(), "clang")) {
        GTEST_SKIP() << *missing;
    }
    pipeline::VerifyRequest request = verify_request(digits_model(), "3,3", {GetParam()});
    request.toolchain = "clang";
    const report::VerifyResult result = prove(request);
    ASSERT_EQ(result.devices.size(), 1U);
    expect_proven(result.devices.front());
}

INSTANTIATE_TEST_SUITE_P(Proof, DigitsByClang, testing::ValuesIn(emulated_devices()),
                         [](const auto& device) { return name_of(device.param); });

class Methods : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = missing_compiler("cortex-m4-mapped")) {
            GTEST_SKIP() << *missing;
        }
        m_project.emplace("cortex-m4-mapped", "whole");
    }
    report::VerifiedDevice verdict(bool merges, int depth = 0, std::uint64_t cuts = 0) {
        pipeline::VerifyRequest request = m_project->request();
        request.merges = merges;
        request.depth = depth;
        request.cuts_max = cuts;
        const report::VerifyResult result = prove(request);
        return result.devices.empty() ? report::VerifiedDevice{} : result.devices.front();
    }
    std::optional<FirmwareProject> m_project;
};

TEST_F(Methods, AgreeOnARightProgram) {
    EXPECT_TRUE(verdict(true).is_right());
    const report::VerifiedDevice one_by_one = verdict(false);
    EXPECT_TRUE(one_by_one.is_right()) << print(one_by_one);
    EXPECT_EQ(one_by_one.cuts, one_by_one.places);  // every place
    EXPECT_GT(one_by_one.cuts, 200U);
}

TEST_F(Methods, AgreeOnAWriteOverTheActiveSlot) {
    m_project->edit("runtime/src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);",
                    "mm_write_record(mm_state.slot);");
    EXPECT_EQ(symptoms_of(verdict(true)).count("lost-progress"), 1U);
    EXPECT_EQ(symptoms_of(verdict(true, 1)).count("lost-progress"), 1U);
    EXPECT_EQ(symptoms_of(verdict(false)).count("lost-progress"), 1U);
}

TEST_F(Methods, AgreeOnAnOutputThatDiffersWhenRepeated) {
    m_project->edit(
        "app/net_tasks.c", "    mm_port_hand_over(mm_inference(), 0u, &mm_nvm[",
        "    mm_nvm[44] = (uint8_t)(mm_nvm[44] + 1u);\n    if (mm_nvm[44] > 1u) {\n"
        "        mm_port_hand_over(mm_inference(), 0u, &mm_nvm[0], 10u);\n        return MM_TASK_DONE;\n    }\n"
        "    mm_port_hand_over(mm_inference(), 0u, &mm_nvm[");
    EXPECT_EQ(symptoms_of(verdict(true)).count("output-differs-when-repeated"), 1U);
    EXPECT_EQ(symptoms_of(verdict(false)).count("output-differs-when-repeated"), 1U);
}

TEST_F(Methods, AFailureIsSeenAgainByItsId) {
    m_project->edit("runtime/src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);",
                    "mm_write_record(mm_state.slot);");
    const report::VerifiedDevice found = verdict(true);
    ASSERT_FALSE(found.failures.empty());
    for (const report::VerifyFailure& failure : found.failures) {
        pipeline::VerifyRequest request = m_project->request();
        request.replay = failure.id;
        const report::VerifyResult again = prove(request);
        ASSERT_EQ(again.devices.size(), 1U);
        EXPECT_EQ(kinds_of(again.devices.front()).count(failure.kind), 1U) << failure.id << "\n"
                                                                           << print(again.devices.front());
        EXPECT_GE(again.devices.front().lives.size(), 2U);
    }
}

// A prefetch loads nothing, although its encoding is that of a load to register 15.
TEST(Counters, APrefetchIsNoLoad) {
    if (const auto missing = missing_compiler("cortex-m4-mapped")) {
        GTEST_SKIP() << *missing;
    }
    std::vector<report::Executed> executed;
    for (const char* instruction : {"nop.w", "pld [sp]", "ldr.w r12, [sp]"}) {
        FirmwareProject project("cortex-m4-mapped", "whole");
        project.edit("app/net_tasks.c", "mm_task_id_t net_task_01(void)\n{\n",
                     std::string("mm_task_id_t net_task_01(void)\n{\n    __asm volatile(\"") + instruction +
                         "\" ::: \"r12\");\n");
        executed.push_back(project.verify().woven_each);
    }
    EXPECT_EQ(executed[0].instructions, executed[1].instructions);
    EXPECT_EQ(executed[0].loads, executed[1].loads);
    EXPECT_EQ(executed[0].loads + 1, executed[2].loads);
}

TEST_F(Methods, SeveralInferencesAreProvenInARow) {
    pipeline::VerifyRequest request = m_project->request();
    request.inferences = 3;
    const report::VerifyResult result = prove(request);
    ASSERT_EQ(result.devices.size(), 1U);
    EXPECT_TRUE(result.devices.front().is_right()) << print(result.devices.front());
}

TEST_F(Methods, OneWorkerFindsWhatTwoFind) {
    pipeline::VerifyRequest request = m_project->request();
    const report::VerifyResult one = prove(request);
    request.jobs = 2;
    const report::VerifyResult two = prove(request);
    ASSERT_EQ(one.devices.size() + two.devices.size(), 2U);
    EXPECT_EQ(one.devices[0].states, two.devices[0].states);
    EXPECT_EQ(one.devices[0].boots, two.devices[0].boots);
    EXPECT_TRUE(two.devices[0].is_right());
}

}  // namespace
}  // namespace metamorph

// A checker that cannot fail is worthless: faults of the field are put into woven firmware, and each must be reported
// as what it is. All but the three whose comment says otherwise give the right output while power stays on.
#include "powerloss/firmware/firmware_fixture.h"

namespace metamorph {
namespace {

constexpr const char* k_tasks = "app/net_tasks.c";
constexpr const char* k_tables = "app/net_tables.c";
constexpr const char* k_runtime = "runtime/src/mm_runtime.c";
constexpr const char* k_record = "runtime/src/mm_record.c";
constexpr const char* k_spi = "runtime/ports/spi/mm_spi.c";
constexpr const char* k_unset_register = R"(static uint32_t mm_unset_register(void) {
    uint32_t value;
    __asm volatile("vmov %0, s31" : "=r"(value));
    return value;
}
)";

class FirmwareFault : public testing::Test {
protected:
    void weave(const std::string& device, const std::string& slice = "") {
        if (const auto missing = missing_compiler(device)) {
            GTEST_SKIP() << *missing;
        }
        m_project.emplace(device, "3,3", slice);
    }
    void edit(const char* file, const std::string& from, const std::string& to) { m_project->edit(file, from, to); }

    // Everything that is found is of this kind, seen as `symptom` at least once: that failure. One that is all empty,
    // and a failed expectation, where it is not so.
    report::VerifyFailure expect_caught(const std::string& kind, const std::string& symptom) {
        m_verdict = m_project->verify();
        EXPECT_EQ(kinds_of(m_verdict), std::set<std::string>{kind}) << print(m_verdict);
        for (const report::VerifyFailure& failure : m_verdict.failures) {
            if (failure.symptom == symptom) {
                return failure;
            }
        }
        ADD_FAILURE() << "no " << symptom << ":\n" << print(m_verdict);
        return {};
    }
    // Uninterrupted all is well: only cutting the power finds it.
    void expect_right_uninterrupted() { EXPECT_TRUE(m_verdict.is_equal_uninterrupted) << print(m_verdict); }

    std::optional<FirmwareProject> m_project;
    report::VerifiedDevice m_verdict;
};

#define WEAVE_FOR(device) \
    weave(device);        \
    if (!m_project)       \
    return

TEST_F(FirmwareFault, CommitBeforeData) {
    WEAVE_FOR("cortex-m4-spi");
    m_project->move(k_runtime, "    mm_write_record(1u - mm_state.slot);\n    mm_state.attempts = 0;\n",
                    "    for (uint32_t i = 0; i < task->commit_count; i++) {");
    // The record says what is to be run next, which must be known before it is written.
    m_project->move(k_runtime, R"(    mm_state.record.sequence++;
    mm_state.record.selectors ^= task->flips;
    if (next == MM_TASK_DONE) {
        mm_state.record.inference++;
        mm_state.record.task = 0;
        mm_state.resumed_at = 0;
    } else {
        mm_state.record.task = next;
    }
)",
                    "    mm_write_record(1u - mm_state.slot);\n    mm_state.attempts = 0;\n");
    EXPECT_NE(expect_caught("commit-before-data", "resumed-too-far").what.find("goes on after"), std::string::npos);
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, MissingWriteBack) {
    WEAVE_FOR("rv32imc-spi");
    edit(k_tables, ".commit = commit_01, .fetch_count = 1u, .commit_count = 1u",
         ".commit = commit_01, .fetch_count = 1u, .commit_count = 0u");
    expect_caught("missing-write-back", "wrong-output");
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, MissingFetch) {
    WEAVE_FOR("cortex-m4-spi");
    edit(k_tables, ".fetch = fetch_02, .commit = commit_02, .fetch_count = 1u",
         ".fetch = fetch_02, .commit = commit_02, .fetch_count = 0u");
    const report::VerifyFailure failure = expect_caught("missing-fetch", "poisoned-read");
    EXPECT_NE(failure.what.find("net_sram_arena"), std::string::npos) << failure.what;
    EXPECT_NE(failure.what.find("net_average_pool2d_03"), std::string::npos) << failure.what;
    EXPECT_NE(failure.what.find(".c:"), std::string::npos) << failure.what;  // file and line
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, WriteAfterReadInATask) {
    WEAVE_FOR("cortex-m4-mapped");
    edit(k_tasks, "(int8_t *)&mm_nvm[1408]);\n    return 3u;", "(int8_t *)&mm_nvm[192]);\n    return 3u;");
    edit(k_tasks, "0u, &mm_nvm[1408], 10u)", "0u, &mm_nvm[192], 10u)");
    const report::VerifyFailure failure = expect_caught("write-after-read", "wrong-output");
    EXPECT_NE(failure.what.find("after its task has begun to overwrite it"), std::string::npos) << failure.what;
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, WriteAfterReadThroughAReusedArena) {
    WEAVE_FOR("rv32imc-mapped");
    edit(k_tasks, "(int8_t *)&net_sram_arena[0]);\n    net_softmax_06((const int8_t *)&net_sram_arena[0]",
         "(int8_t *)&mm_nvm[128]);\n    net_softmax_06((const int8_t *)&mm_nvm[128]");
    const report::VerifyFailure failure = expect_caught("write-after-read-in-arena", "wrong-output");
    EXPECT_NE(failure.what.find("after its task has begun to overwrite it"), std::string::npos) << failure.what;
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, TornCommitFlag) {
    WEAVE_FOR("rv32imc-mapped");
    edit(k_record, "| MM_SEAL_BITS;", "* 0u + 0x5EA15EA1u;");
    edit(k_runtime,
         "    if (mm_read_seal(slot) != MM_SEAL_NONE) {\n        mm_write_seal(slot, MM_SEAL_NONE);\n    }\n",
         "    (void)slot;\n");
    edit(k_runtime, "        mm_write_seal(slot, MM_SEAL_NONE);\n    } else {\n", "    } else {\n");
    expect_caught("torn-record", "resumed-too-far");
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, StaleSlot) {
    WEAVE_FOR("cortex-m4-mapped");
    edit(k_record, "return ahead != 0u && ahead < 0x80000000u;", "return ahead >= 0x80000000u;");
    expect_caught("stale-slot", "lost-progress");
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, CounterBeforeTheBootFlag) {
    WEAVE_FOR("cortex-m4-mapped");
    // Byte 44 of the header is free. How often the device was started for the first time: once, it should be.
    edit(k_runtime, "    mm_unseal(1u - mm_state.slot);\n    mm_unseal(mm_state.slot);\n",
         "    uint8_t starts = 0;\n    mm_read_nvm(44u, &starts, 1u);\n    starts = (uint8_t)(starts % 3u + 1u);\n"
         "    mm_write_nvm(44u, &starts, 1u);\n"
         "    mm_unseal(1u - mm_state.slot);\n    mm_unseal(mm_state.slot);\n");
    edit(k_runtime, "    mm_state.record.inference = 0;\n", "    mm_state.record.inference = starts - 1u;\n");
    expect_caught("counter-before-boot-flag",
                  "resumed-too-far");  // a first boot that is not the first: commits that never were
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, PointersThatSurviveReflashing) {
    WEAVE_FOR("rv32imc-spi");
    edit(k_runtime, "mm_state.record.build_id != app->build_id || ", "");
    const report::VerifyFailure failure = expect_caught("record-of-another-build", "resumed-too-far");
    EXPECT_EQ(failure.id.rfind("other-build", 0), 0U) << failure.id;
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, VariableOnlyInSram) {
    WEAVE_FOR("cortex-m4-spi");
    edit(k_tasks, "mm_task_id_t net_task_01(void)\n{\n",
         "static int8_t bias = 1;\nmm_task_id_t net_task_01(void)\n{\n    bias = 2;\n");
    edit(k_tasks, "(int8_t *)&net_sram_output[0]);\n",
         "(int8_t *)&net_sram_output[0]);\n    net_sram_output[0] = (uint8_t)(net_sram_output[0] + bias - 2);\n");
    const report::VerifyFailure failure = expect_caught("variable-only-in-sram", "wrong-output");
    EXPECT_NE(failure.what.find("bias"), std::string::npos) << failure.what;
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, UninitialisedSramRead) {  // also without a cut
    WEAVE_FOR("rv32imc-mapped");
    edit(k_tasks, "mm_task_id_t net_task_01(void)\n{\n",
         "MM_SRAM_PLACEMENT volatile uint8_t never_written;\nmm_task_id_t net_task_01(void)\n{\n"
         "    if (never_written == 77u) {\n        return 0u;\n    }\n");
    const report::VerifyFailure failure = expect_caught("uninitialised-sram-read", "poisoned-read");
    EXPECT_NE(failure.what.find("never_written"), std::string::npos) << failure.what;
    EXPECT_NE(failure.what.find("net_task_01 (net_tasks.c:"), std::string::npos) << failure.what;
}

TEST_F(FirmwareFault, WritingOverTheActiveSlot) {
    WEAVE_FOR("cortex-m4-spi");
    edit(k_runtime, "mm_write_record(1u - mm_state.slot);", "mm_write_record(mm_state.slot);");
    expect_caught("active-slot-overwritten", "lost-progress");
    EXPECT_EQ(symptoms_of(m_verdict).count("wrong-output"), 0U) << "it starts over, and the output is right";
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, SpiWriteWithoutWriteEnableAfterACut) {
    WEAVE_FOR("cortex-m4-spi");
    // The chip is thought to keep its write enable: it is set once, when NVM is found to be of another application.
    edit(k_spi, "        status = mm_spi_enable_write();\n",
         "        static bool is_resumed;\n"
         "        is_resumed = is_resumed || (bytes == 1u && address >= 96u && address < 112u && at[0] > 1u);\n"
         "        status = is_resumed ? MM_STATUS_OK : mm_spi_enable_write();\n");
    const report::VerifyFailure failure = expect_caught("spi-write-without-enable", "spi-write-without-enable");
    EXPECT_FALSE(failure.id.empty()) << "only after a cut";
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, SliceThatIsNotIdempotent) {
    weave("cortex-m4-mapped", "0=2");
    if (!m_project) {
        return;
    }
    // An accumulator in NVM, which running the slice again adds to once more.
    edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n",
         "mm_task_id_t net_task_02(void)\n{\n    volatile uint8_t *sum = &mm_nvm[170];\n    *sum = (uint8_t)(*sum + "
         "16u);\n"
         "    *sum = (uint8_t)(*sum - 16u);\n");
    const report::VerifyFailure failure = expect_caught("slice-not-idempotent", "wrong-output");
    EXPECT_NE(failure.what.find("NVM 170 is read"), std::string::npos) << failure.what;
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, OutputSentTwiceWithDifferentValues) {
    WEAVE_FOR("cortex-m4-mapped");
    edit(k_tasks, "    mm_port_hand_over(mm_inference(), 0u, &mm_nvm[1408], 10u);\n",
         "    uint8_t out[10];\n    for (unsigned i = 0; i < 10u; i++) {\n        out[i] = mm_nvm[1408 + i];\n    }\n"
         "    out[9] = (uint8_t)(out[9] + (mm_nvm[96] | mm_nvm[97]) / 2u);\n"  // boots that resumed here
         "    mm_port_hand_over(mm_inference(), 0u, out, 10u);\n");
    expect_caught("output-not-repeatable", "output-differs-when-repeated");
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, OutputThatACutSwallows) {
    WEAVE_FOR("rv32imc-mapped");
    edit(k_tasks, "    mm_port_hand_over(mm_inference(), 0u, &mm_nvm[1408], 10u);\n",
         "    if (*(volatile uint8_t *)&mm_nvm[44] != 0xA7u) {\n        *(volatile uint8_t *)&mm_nvm[44] = 0xA7u;\n"
         "        mm_port_hand_over(mm_inference(), 0u, &mm_nvm[1408], 10u);\n    }\n");
    expect_caught("write-after-read", "missing-output");  // of the flag
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, TaskThatNeverFits) {  // also without a cut
    WEAVE_FOR("rv32imc-spi");
    edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n",
         "mm_task_id_t net_task_02(void)\n{\n    for (volatile uint32_t i = 0; i < 0xFFFFFFFFu; i++) {\n    }\n");
    const report::VerifyFailure failure = expect_caught("task-never-fits", "no-progress");
    EXPECT_NE(failure.task.find("2 ("), std::string::npos) << failure.task;
    EXPECT_NE(failure.what.find("instructions"), std::string::npos) << failure.what;
}

TEST_F(FirmwareFault, TallyThatIsNeverCleared) {
    WEAVE_FOR("cortex-m4-mapped");
    edit(k_runtime, "    mm_write_tally(slot, 0);\n    mm_write_seal(slot, mm_seal_end",
         "    mm_write_seal(slot, mm_seal_end");
    expect_caught("tally-not-cleared", "no-progress");
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, WriteOutsideThePlan) {  // also without a cut
    WEAVE_FOR("rv32imc-mapped");
    edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n", "mm_task_id_t net_task_02(void)\n{\n    mm_nvm[1440] = 1u;\n");
    const report::VerifyFailure failure = expect_caught("write-outside-plan", "write-outside-plan");
    EXPECT_NE(failure.what.find("[1440, 1441)"), std::string::npos) << failure.what;
}

// A register that nobody sets decides whether the record counts. Some values are harmless: only another poison shows
// it.
TEST_F(FirmwareFault, RegisterThatTheStartUpReliesOn) {
    WEAVE_FOR("cortex-m4-mapped");
    edit(k_runtime, "mm_state.record.build_id != app->build_id || ",
         "mm_unset_register() >> 31 == 0u || mm_state.record.build_id != app->build_id || ");
    edit(k_runtime, "#include \"mm_record.h\"\n", std::string("#include \"mm_record.h\"\n") + k_unset_register);
    expect_caught("lost-progress", "lost-progress");
    expect_right_uninterrupted();
}

// Likewise in a task, which boots need not run again: the two uninterrupted runs differ.
TEST_F(FirmwareFault, RegisterThatATaskReliesOn) {
    WEAVE_FOR("cortex-m4-mapped");
    edit(k_tasks, "mm_task_id_t net_task_01(void)\n{\n",
         std::string(k_unset_register) + "mm_task_id_t net_task_01(void)\n{\n");
    edit(k_tasks, "    mm_port_hand_over(mm_inference(), 0u, &mm_nvm[1408], 10u);\n",
         "    uint8_t out[10];\n    for (unsigned i = 0; i < 10u; i++) {\n        out[i] = mm_nvm[1408 + i];\n    }\n"
         "    out[9] = (uint8_t)(out[9] + (~mm_unset_register() >> 31));\n"
         "    mm_port_hand_over(mm_inference(), 0u, out, 10u);\n");
    m_verdict = m_project->verify();
    EXPECT_FALSE(m_verdict.is_equal_uninterrupted) << print(m_verdict);
    EXPECT_FALSE(m_verdict.is_right());
}

// What a task writes holds the same bytes as before: only in a memory of wider units does a cut ruin those beside them.
// One cut finds it.
TEST_F(FirmwareFault, WriteIntoTheUnitOfWhatIsAlive) {
    WEAVE_FOR("cortex-m4-mapped");
    const auto verify = [&](int depth = 1) {
        pipeline::VerifyRequest request = m_project->request();
        request.depth = depth;
        const report::VerifyResult result = prove(request);
        m_verdict = result.devices.empty() ? report::VerifiedDevice{} : result.devices.front();
        return symptoms_of(m_verdict);
    };
    edit("device/device.toml", "write_unit_bytes = 1", "write_unit_bytes = 8");
    EXPECT_TRUE(verify(0).empty()) << print(m_verdict);
    EXPECT_LT(m_verdict.boots, 20'000U) << "what is ruined beside a record, and nobody reads, is told apart";
    EXPECT_TRUE(verify().empty()) << print(m_verdict);
    const std::uint64_t torn = m_verdict.torn_states;
    edit(k_tasks, "    mm_port_hand_over(mm_inference(), 0u, &mm_nvm[1408], 10u);\n",
         "    *(volatile uint8_t *)&mm_nvm[1409] = *(volatile uint8_t *)&mm_nvm[1409];\n"
         "    mm_port_hand_over(mm_inference(), 0u, &mm_nvm[1408], 10u);\n");
    EXPECT_EQ(verify().count("wrong-output"), 1U) << print(m_verdict);
    expect_right_uninterrupted();
    ASSERT_FALSE(m_verdict.failures.empty());
    const std::string& id = m_verdict.failures.front().id;
    EXPECT_TRUE(id.ends_with("~10") || id.ends_with("~11")) << id << " is of a unit of which nothing is left";
    edit("device/device.toml", "write_unit_bytes = 8", "write_unit_bytes = 1");
    EXPECT_TRUE(verify().empty()) << "of a memory of bytes it is right";
    EXPECT_LT(m_verdict.torn_states, torn);
    pipeline::VerifyRequest replay = m_project->request();
    replay.replay = "17~10";
    const auto refused = pipeline::verify(replay);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::options);
    EXPECT_NE(refused.error().message.find("this device's are single bytes"), std::string::npos);
}

// The two units of a tally, lost in two cuts as ones and as zeros, agree on 255 boots: more than any count.
TEST_F(FirmwareFault, TallyThatNoBootCanHaveCounted) {
    WEAVE_FOR("cortex-m4-mapped");
    edit("device/device.toml", "write_unit_bytes = 1", "write_unit_bytes = 8");
    edit(k_runtime, " && boots <= MM_TALLY_MAX", "");
    pipeline::VerifyRequest request = m_project->request();
    request.depth = 2;
    const report::VerifyResult result = prove(request);
    ASSERT_EQ(result.devices.size(), 1U);
    m_verdict = result.devices.front();
    EXPECT_GE(symptoms_of(m_verdict).count("no-progress"), 1U) << print(m_verdict);
    ASSERT_FALSE(m_verdict.failures.empty());
    EXPECT_EQ(m_verdict.failures.front().kind, "tally-not-cleared");
    expect_right_uninterrupted();
}

TEST_F(FirmwareFault, CrashAfterACut) {
    WEAVE_FOR("cortex-m4-mapped");
    edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n",
         "mm_task_id_t net_task_02(void)\n{\n    if ((mm_nvm[96] | mm_nvm[97]) > 2u) {\n"
         "        *(volatile uint32_t *)0xDEAD0000u = 1u;\n    }\n");
    const report::VerifyFailure failure = expect_caught("crash", "crash");
    EXPECT_NE(failure.what.find("net_task_02 (net_tasks.c:"), std::string::npos) << failure.what;
    expect_right_uninterrupted();
}

}  // namespace
}  // namespace metamorph

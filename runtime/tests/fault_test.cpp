// A checker that cannot fail is worthless: faults put into the runtime, the table or the build must each be reported.
// A missing barrier shows only where writes land out of order: in the model, if told so, and nowhere else.
#include <gtest/gtest.h>

#include <cstdlib>

#include "toy_build.h"

namespace {

using nlohmann::json;
using toy::Edit;

const Edit k_record_before_data_1 = {"src/mm_runtime.c", "    mm_port_event(MM_EVENT_COMMIT_START, id);\n",
                                     "    mm_port_event(MM_EVENT_COMMIT_START, id);\n"
                                     "    const mm_record_t before = mm_state.record;\n"
                                     "    mm_state.record.sequence++;\n"
                                     "    mm_state.record.selectors ^= task->flips;\n"
                                     "    mm_state.record.inference += next == MM_TASK_DONE;\n"
                                     "    mm_state.record.task = next == MM_TASK_DONE ? 0 : next;\n"
                                     "    mm_write_record(1u - mm_state.slot);\n"
                                     "    mm_state.slot = 1u - mm_state.slot;\n"
                                     "    mm_state.record = before;\n"};

// Explores with the fault, expects a report of `kind`, and that the reported cut shows it again when replayed.
void expect_reported(const toy::Options& options, const std::string& kind, int inferences = 2) {
    const toy::Toy faulty(options);
    ASSERT_TRUE(faulty.built());
    const toy::Ended ended = faulty.explore(inferences, "");
    ASSERT_EQ(ended.status, 1) << ended.output;
    const json report = ended.report();
    EXPECT_GT(report["wrong_count"], 0);
    std::string id, kinds;
    for (const json& wrong : report["wrong"]) {
        kinds += wrong["kind"].get<std::string>() + " ";
        if (wrong["kind"] == kind && id.empty()) {
            id = wrong["id"];
        }
    }
    ASSERT_NE(id, "") << "reported: " << kinds;
    ASSERT_NE(id, "uninterrupted") << ended.output;
    const toy::Ended again = faulty.explore(inferences, "--replay " + id);
    ASSERT_EQ(again.status, 1) << id << again.output;
    EXPECT_EQ(again.report()["wrong"][0]["id"], id);
    EXPECT_EQ(again.report()["wrong"][0]["kind"], kind);
}

TEST(Fault, CommitRecordBeforeDataIsReported) {
    expect_reported({"bus", {k_record_before_data_1}, {}}, "wrong output");
}

TEST(Fault, WritingOverTheActiveSlotIsReported) {
    const Edit edit = {"src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);", "mm_write_record(mm_state.slot);"};
    expect_reported({"bus", {edit}, {}}, "lost progress");
    expect_reported({"mapped", {edit}, {}}, "lost progress");
}

TEST(Fault, AcceptingUnsealedRecordsIsReported) {
    expect_reported(
        {"bus", {{"src/mm_runtime.c", "return seal == mm_seal_of(record);", "return seal + 1u != 0u;"}}, {}},
        "wrong record");
}

TEST(Fault, MissingWriteBackIsReported) {
    expect_reported(
        {"bus",
         {{"tests/toy/toy_bus.c", "{mix, mix_fetch, mix_commit, 2, 1, 0}", "{mix, mix_fetch, mix_commit, 2, 0, 0}"}},
         {}},
        "wrong output");
}

TEST(Fault, HomeSharedByInputAndOutputIsReported) {
    expect_reported({"bus", {{"tests/toy/toy_bus.c", "#define HOME_B 192u", "#define HOME_B 176u"}}, {}},
                    "wrong output");
}

TEST(Fault, StateUpdatedInPlaceIsReported) {
    expect_reported({"mapped",
                     {{"tests/toy/toy_mapped.c", "(int8_t*)(mm_nvm + HOME_A), state);",
                       "(int8_t*)(mm_nvm + HOME_A), (int8_t*)(mm_nvm + HOME_STATE));"},
                      {"tests/toy/toy_mapped.c", "{split, split_fetch, split_commit, 1, 1, 1u << 0}",
                       "{split, split_fetch, split_commit, 0, 0, 0}"}},
                     {}},
                    "wrong output");
}

TEST(Fault,
     ValueThatIsNotFetchedAfterAResumptionIsReported) {  // the resumed task itself does not need it: a later one does
    expect_reported({"bus",
                     {{"tests/toy/toy_bus.c", "{HOME_IN, in, sizeof in, 1, MM_BUFFER_NONE, 0}",
                       "{HOME_IN, in, sizeof in, 2, MM_BUFFER_NONE, 0}"}},
                     {}},
                    "wrong output");
}

TEST(Fault, InitialValueThatNeverReachesNvmIsReported) {
    const toy::Toy faulty({"bus", {{"tests/toy/toy_bus.c", "tasks, initial, 1}", "tasks, initial, 0}"}}, {}});
    ASSERT_TRUE(faulty.built());
    const toy::Ended ended = faulty.explore(1, "");
    EXPECT_EQ(ended.status, 1);
    EXPECT_EQ(ended.report()["wrong"][0]["kind"], "wrong output");
}

TEST(Fault, OutputLeftOutAfterARebootIsReported) {
    expect_reported({"bus",
                     {{"tests/toy/toy_bus.c", "    mm_port_hand_over(mm_inference(), 0, out, sizeof out);\n",
                       "    if (a[0] != 0 || a[1] != 0) {\n"
                       "        mm_port_hand_over(mm_inference(), 0, out, sizeof out);\n"
                       "    }\n"}},
                     {}},
                    "output order");
}

TEST(Fault, HangAndCrashOfARecoveryAreReported) {
    const Edit edit = {"src/mm_runtime.c", "    mm_port_restore_peripherals();\n",
                       "    mm_port_restore_peripherals();\n"
                       "    while (mm_state.record.task == 2) {\n"
                       "    }\n"
                       "    if (mm_state.record.task == 3) {\n"
                       "        __builtin_trap();\n"
                       "    }\n"};
    const toy::Toy faulty({"bus", {edit}, {}});
    ASSERT_TRUE(faulty.built());
    bool hung = false, crashed = false;
    for (int unit = 150; unit < 350 && !(hung && crashed); unit += 25) {
        const toy::Ended ended = faulty.explore(1, "--timeout 1 --replay cut:" + std::to_string(unit));
        if (ended.status == 1) {
            hung = hung || ended.report()["wrong"][0]["kind"] == "hang";
            crashed = crashed || ended.report()["wrong"][0]["kind"] == "crash";
        }
    }
    EXPECT_TRUE(hung);
    EXPECT_TRUE(crashed);
}

TEST(Fault, StoresThatNoCallbackSawMakeTheRunFail) {
    const toy::Toy blind({"mapped", {}, {"tests/toy/toy_layers.c"}});
    ASSERT_TRUE(blind.built());
    const toy::Ended ended = blind.explore(1, "");
    EXPECT_EQ(ended.status, 72) << ended.output;
    EXPECT_EQ(ended.report()["wrong"][0]["kind"], "unseen store");
    EXPECT_EQ(blind.run(1, "--outputs outputs").status, 72);
}

TEST(Fault, ApplicationWithoutCallbacksRunsButRefusesToBeCut) {
    const toy::Toy blind({"mapped",
                          {},
                          {"tests/toy/toy_layers.c", "tests/toy/toy_mapped.c", "src/mm_runtime.c", "src/mm_record.c",
                           "src/mm_table.c"}});
    ASSERT_TRUE(blind.built());
    EXPECT_EQ(blind.run(2, "--outputs outputs").status, 0);
    EXPECT_EQ(toy::read_file(blind.file("outputs")), blind.plain_outputs(2));
    EXPECT_EQ(blind.explore(2, "").status, 73);
    EXPECT_EQ(blind.run(2, "--nvm-fill zeros --outputs more --cut-after 5").status, 73);
}

TEST(Fault, WrongOutputOfTheUninterruptedRunIsReportedWithoutAnyCut) {
    const toy::Toy wrong({"bus",
                          {{"tests/toy/toy_bus.c", "toy_mix(a, residual, b);", "toy_mix(a, a, b);"},
                           {"tests/toy/toy_layers.h", "TOY_RESIDUAL = 24", "TOY_RESIDUAL = 16"}},
                          {}});
    ASSERT_TRUE(wrong.built());
    const toy::Ended ended = wrong.explore(1, "");
    EXPECT_EQ(ended.status, 1);
    EXPECT_EQ(ended.report()["wrong"][0]["id"], "uninterrupted");
    EXPECT_EQ(ended.report()["wrong"][0]["kind"], "wrong output");
}

// The same on the model of the commit: what it is compiled with is the edited runtime.
class EditedModel {
public:
    explicit EditedModel(const std::vector<Edit>& edits) : m_toy({"bus", edits, {}}) {
        const std::string model = std::string(METAMORPH_SOURCE_DIR) + "/runtime/tests/model/";
        std::string build = "cd '" + m_toy.file("runtime").string() + "' && " METAMORPH_CLANG_C " -O1 -Iinclude -Isrc";
        for (const char* part : {"model.c", "model_memory.c", "model_search.c", "model_main.c"}) {
            build += " " + model + part;
        }
        const std::string sources = " src/mm_record.c src/mm_table.c -o model";
        m_built = m_toy.built() && std::system((build + sources).c_str()) == 0;
        EXPECT_TRUE(m_built);
    }
    bool finds_something(const std::string& order) const {
        return std::system((m_toy.file("runtime/model").string() + " " + order + " >/dev/null").c_str()) != 0;
    }
    const toy::Toy& toy() const { return m_toy; }

private:
    toy::Toy m_toy;
    bool m_built = false;
};

TEST(Fault, ModelCheckerReportsBrokenCommits) {
    const std::vector<std::vector<Edit>> faults = {
        {},
        {k_record_before_data_1},
        {{"src/mm_runtime.c", "mm_write_record(1u - mm_state.slot);", "mm_write_record(mm_state.slot);"}},
        {{"src/mm_runtime.c", "return seal == mm_seal_of(record);", "return true;"},
         {"src/mm_runtime.c", "    if (seal == MM_SEAL_NONE) {\n", "    if (seal == 1u) {\n"}},
        {{"src/mm_runtime.c", "    mm_unseal(1u - mm_state.slot);\n    mm_unseal(mm_state.slot);\n",
          "    mm_unseal(mm_state.slot);\n"}},
        {{"src/mm_runtime.c", "    mm_unseal(1u - mm_state.slot);\n    mm_unseal(mm_state.slot);\n",
          "    mm_unseal(mm_state.slot);\n    mm_unseal(1u - mm_state.slot);\n"}},
        {{"src/mm_runtime.c", "    if (mm_read_seal(slot) != MM_SEAL_NONE) {\n", "    if (slot < MM_SLOT_COUNT) {\n"}},
        {{"src/mm_runtime.c", "    mm_state.attempts = 1;\n    mm_state.seal_begun",
          "    mm_state.attempts = 0;\n    mm_state.seal_begun"}},
        {{"src/mm_runtime.c", "        mm_state.attempts = 1; /*", "        mm_state.attempts = 0; /*"}},
        {{"src/mm_runtime.c", "    } else {\n        mm_unseal(slot);\n", ""}},
        {{"src/mm_runtime.c", "        mm_write_seal(slot, MM_SEAL_NONE);\n    } else {\n", "    } else {\n"}},
        {{"src/mm_record.c", "return ahead != 0u && ahead < 0x80000000u;", "return a > b && ahead != 0u;"}},
        {{"src/mm_runtime.c", "mm_state.record.build_id != app->build_id", "mm_state.record.build_id == 0u"}},
        {{"src/mm_runtime.c", "    mm_port_restore_peripherals();\n", ""}}};
    for (const std::vector<Edit>& edits : faults) {
        const EditedModel model(edits);
        EXPECT_EQ(model.finds_something("ordered"), !edits.empty()) << (edits.empty() ? "no fault" : edits[0].from);
    }
}

TEST(Fault, EachMissingBarrierIsReportedWhereWritesAreReorderedAndOnlyThere) {
    const std::string seal = "    mm_write_nvm(mm_slot_at(slot), &seal, MM_SEAL_BYTES);\n";
    const std::string check = "    mm_write_nvm(MM_CHECKS_AT + slot, &check, 1);\n";
    const std::string barrier = "    mm_await_writes();\n";
    const std::pair<std::string, std::string> kept_only[] = {
        {seal, "    if (seal != MM_SEAL_NONE)\n"},  // none behind the unsealing
        {seal, "    if (seal == MM_SEAL_NONE)\n"},  // none behind the sealing
        {check, "    if (boots != 0u)\n"},          // none between record and seal
        {check, "    if (boots == 0u)\n"}};         // none between counting a boot and its first task
    EXPECT_FALSE(EditedModel({}).finds_something("reordered"));
    for (const auto& [write, condition] : kept_only) {
        const EditedModel model({{"src/mm_runtime.c", write + barrier, write + condition + barrier}});
        EXPECT_TRUE(model.finds_something("reordered")) << condition;
        EXPECT_FALSE(model.finds_something("ordered")) << condition;
        EXPECT_EQ(model.toy().explore(1, "").status, 0) << condition;
    }
}

}  // namespace

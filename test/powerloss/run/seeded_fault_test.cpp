// A checker that cannot fail is worthless: faults are put into woven projects, and the cut run must report each.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "pipeline/project_folder.h"
#include "powerloss/run/run_fixture.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using tasks::NvmMode;

std::string read_all(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

class SeededFault : public testing::Test {
protected:
    void weave(const std::string& split, NvmMode mode) {
        m_scratch.emplace(ScratchFolder::make("metamorph-fault").value());
        auto woven = pipeline::weave_model({digits_model(), "net", tasks::parse_split(split).value(), mode, {}});
        ASSERT_TRUE(woven.has_value()) << describe(woven.error());
        m_woven.emplace(std::move(*woven));
        ASSERT_TRUE(pipeline::write_project(folder(), m_woven->project.files).has_value());
    }

    fs::path folder() const { return m_scratch->path() / "app"; }

    // Replaces the one occurrence of `from`.
    void edit(const std::string& file, const std::string& from, const std::string& to) {
        std::string text = read_all(folder() / file);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << "'" << from << "' is not in " << file;
        ASSERT_EQ(text.find(from, at + 1), std::string::npos) << "'" << from << "' stands twice in " << file;
        text.replace(at, from.size(), to);
        std::ofstream(folder() / file) << text;
    }

    report::WovenResult cut() {
        pipeline::RunRequest request = request_for(folder(), "whole", NvmMode::bus);
        request.is_woven = true;
        request.inferences = 2;
        const auto result = pipeline::run(request);
        EXPECT_TRUE(result.has_value()) << describe(result.error());
        return result ? result->woven.front() : report::WovenResult{};
    }

    // Right without a cut, wrong with some: only cutting the power can find it.
    void expect_found_by_cutting() {
        const report::WovenResult result = cut();
        EXPECT_TRUE(result.is_equal_uninterrupted);
        ASSERT_TRUE(result.cuts.has_value());
        EXPECT_GT(result.cuts->wrong_count, 0U);
        ASSERT_FALSE(result.cuts->failures.empty());
        EXPECT_NE(result.cuts->failures.front().id.find("cut:"), std::string::npos);
    }

    std::optional<ScratchFolder> m_scratch;
    std::optional<pipeline::Woven> m_woven;
};

TEST_F(SeededFault, NoneIsReportedWhereThereIsNone) {
    weave("3,3", NvmMode::bus);
    const report::WovenResult result = cut();
    EXPECT_TRUE(result.is_right());
}

TEST_F(SeededFault, CommitRecordBeforeTheData) {
    weave("3,3", NvmMode::bus);
    const std::string file = "runtime/src/mm_runtime.c";
    std::string text = read_all(folder() / file);
    const std::size_t begin = text.find("    for (uint32_t i = 0; i < task->commit_count; i++)");
    const std::size_t end = text.find("    mm_port_event(MM_EVENT_RECORD_START", begin);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_NE(end, std::string::npos);
    const std::string data = text.substr(begin, end - begin);
    edit(file, data, "");
    edit(file, "    mm_write_record(1u - mm_state.slot);\n", "    mm_write_record(1u - mm_state.slot);\n" + data);
    expect_found_by_cutting();
}

TEST_F(SeededFault, MissingWriteBack) {
    weave("3,3", NvmMode::bus);
    edit("app/net_tables.c", ".commit = commit_01, .fetch_count = 1u, .commit_count = 1u",
         ".commit = 0, .fetch_count = 1u, .commit_count = 0u");
    edit("app/net_tables.c", "static const mm_transfer_t commit_01",
         "extern const mm_transfer_t commit_01[];\nconst mm_transfer_t commit_01");
    expect_found_by_cutting();
}

TEST_F(SeededFault, MissingFetch) {
    weave("3,3", NvmMode::bus);
    edit("app/net_tables.c", ".fetch = fetch_02, .commit = commit_02, .fetch_count = 1u",
         ".fetch = 0, .commit = commit_02, .fetch_count = 0u");
    edit("app/net_tables.c", "static const mm_transfer_t fetch_02",
         "extern const mm_transfer_t fetch_02[];\nconst mm_transfer_t fetch_02");
    expect_found_by_cutting();
}

// As a naive weaver would do it: one home for what a task reads and for what it leaves, because the arena has them at
// one place.
TEST_F(SeededFault, WriteAfterReadLeftUnresolvedOnABus) {
    weave("1,2,3", NvmMode::bus);
    ASSERT_FALSE(m_woven->plan->write_after_reads.empty()) << "this split reuses no bytes inside a task";
    const tasks::Transfer& read = m_woven->plan->tasks[2].fetch.front();
    const tasks::Transfer& written = m_woven->plan->tasks[2].commit.front();
    ASSERT_LE(read.bytes, written.bytes);
    std::string text = read_all(folder() / "app/net_tables.c");
    const std::string from = ".home = " + std::to_string(read.home) + "u, .sram = &net_sram_arena[";
    const std::string to = ".home = " + std::to_string(written.home) + "u, .sram = &net_sram_arena[";
    std::size_t edits = 0;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
        ++edits;
    }
    ASSERT_EQ(edits, 2U);  // the commit of task 1 and the fetch of task 2
    std::ofstream(folder() / "app/net_tables.c") << text;
    expect_found_by_cutting();
}

// The whole arena in mapped NVM: the dense layer's result overwrites the pooling layer's input in the same task.
TEST_F(SeededFault, WriteAfterReadLeftUnresolvedInMappedNvm) {
    weave("3,3", NvmMode::mapped);
    ASSERT_FALSE(m_woven->plan->write_after_reads.empty()) << "this split reuses no bytes inside a task";
    const std::string input = "&mm_nvm[" + std::to_string(m_woven->plan->pointers.at({4, 0}).at) + "]";
    edit("app/net_tasks.c", "(int8_t *)&net_sram_arena[0]);\n    net_softmax_06((const int8_t *)&net_sram_arena[0]",
         "(int8_t *)" + input + ");\n    net_softmax_06((const int8_t *)" + input);
    expect_found_by_cutting();
}

}  // namespace
}  // namespace metamorph

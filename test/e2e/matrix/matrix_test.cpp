// metamorph init, matrix, report and why with real compilers and the real emulator: two runs that are proven, one that
// is refused, one that is not possible. With -j1, with many jobs, and killed at random moments and resumed: the same
// firmware, byte for byte, and the same report but for times.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* k_project = R"([[model]]
name = "digits"
files = ["digits_int8.tflite"]
[[generator]]
name = "native"
[[generator]]
name = "onnx"
generator = "emx-onnx-cgen"
[matrix]
device = "cortex-m4-mapped"
tasks = ["whole", "layer", "9,9"]
[[matrix.exclude]]
generator = "onnx"
tasks = ["layer", "9,9"]
)";
constexpr const char* k_layer = "digits.native.cortex-m4-mapped.gcc.layer";
constexpr const char* k_whole = "digits.native.cortex-m4-mapped.gcc.whole";

std::string contents(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class MatrixTest : public testing::Test {
protected:
    void SetUp() override {
        fs::copy(METAMORPH_SOURCE_DIR "/models/digits/digits_int8.tflite", m_scratch.path());
        std::ofstream(m_scratch.path() / "metamorph.toml") << k_project;
    }

    ProcessOutcome metamorph(std::vector<std::string> arguments, std::chrono::milliseconds timeout = {}) const {
        ProcessRequest request;
        request.argv = std::move(arguments);
        request.argv.insert(request.argv.begin(), METAMORPH_PROGRAM);
        request.directory = m_scratch.path();
        request.timeout = timeout;
        request.environment = {{"METAMORPH_STORE", (m_scratch.path() / "store").string()}};
        const auto outcome = run_process(request);
        EXPECT_TRUE(outcome) << describe(outcome.error());
        return outcome ? *outcome : ProcessOutcome{};
    }

    // Without what differs from one time to the next.
    json report(const std::string& session) const {
        const ProcessOutcome outcome = metamorph({"report", session, "--json", "--columns",
                                                  "run,status,stage,detail,instructions,cycles,code,constants,"
                                                  "variables,stack,nvm_bytes,nvm_bytes_written,cuts,states,boots,elf"});
        json document = json::parse(outcome.output, nullptr, false);
        EXPECT_TRUE(document.is_object()) << outcome.output << outcome.errors;
        document.erase("session");
        return document;
    }

    std::string firmware(const std::string& session, const std::string& run) const {
        return contents(m_scratch.path() / "metamorph-sessions" / session / "runs" / run /
                        "proof/cortex-m4-mapped-build/digits_int8_app");
    }

    const ScratchFolder m_scratch = ScratchFolder::make("metamorph-matrix").value();
};

TEST_F(MatrixTest, EveryRunHasItsResultAndCanBeRepeated) {
    const ProcessOutcome listed = metamorph({"matrix", "--list", "--quiet"});
    EXPECT_EQ(listed.status, 0) << listed.errors;
    EXPECT_NE(listed.output.find("gcc.whole  left out: onnx takes onnx, and digits has no such file\n"),
              std::string::npos)
        << listed.output;
    EXPECT_FALSE(fs::exists(m_scratch.path() / "metamorph-sessions"));

    const ProcessOutcome ran = metamorph({"matrix", "-j", "2"});
    EXPECT_EQ(ran.status, 1) << "not all is right\n" << ran.output << ran.errors;
    EXPECT_NE(ran.output.find("4 runs: 2 Right, 1 Refused, 1 Skipped\n"), std::string::npos) << ran.output;
    EXPECT_NE(ran.errors.find("[4/4] "), std::string::npos) << ran.errors;

    const ProcessOutcome csv = metamorph({"report", "--columns", "run,status", "--sort", "run", "--format", "csv"});
    EXPECT_EQ(csv.output,
              "run,status\r\n\"digits.native.cortex-m4-mapped.gcc.9,9\",Refused\r\n"
              "digits.native.cortex-m4-mapped.gcc.layer,Right\r\ndigits.native.cortex-m4-mapped.gcc.whole,Right\r\n"
              "digits.onnx.cortex-m4-mapped.gcc.whole,Skipped\r\n");
    const ProcessOutcome why = metamorph({"why", "9,9"});
    EXPECT_NE(why.output.find("Refused: "), std::string::npos) << why.output;
    EXPECT_NE(why.output.find("in the stage weave: metamorph weave inputs/digits_int8.tflite"), std::string::npos)
        << why.output;

    // The folder alone is enough, elsewhere and by hand.
    const fs::path moved = m_scratch.path() / "moved";
    const fs::path folder = m_scratch.path() / "metamorph-sessions/0001/runs" / k_layer;
    const std::string before = firmware("0001", k_layer);
    ASSERT_FALSE(before.empty());
    fs::rename(folder, moved);
    for (const char* made : {"woven", "proof", "logs"}) {
        fs::remove_all(moved / made);
    }
    ProcessRequest request;
    request.argv = {"sh", (moved / "repeat").string()};
    const auto repeated = run_process(request);
    ASSERT_TRUE(repeated && repeated->succeeded()) << repeated->output << repeated->errors;
    EXPECT_EQ(contents(moved / "proof/cortex-m4-mapped-build/digits_int8_app"), before);
    EXPECT_TRUE(json::parse(contents(moved / "logs/verify.json")).at("right").get<bool>());
    EXPECT_TRUE(fs::exists(moved / "proof/cortex-m4-mapped-build/digits_int8_app.map"));
}

TEST_F(MatrixTest, ManyJobsAndKillsChangeNothingButTimes) {
    const std::uint64_t seed = std::random_device{}();
    std::cout << "seed " << seed << "\n";
    std::mt19937_64 random(seed);
    EXPECT_EQ(metamorph({"matrix", "-j", "1", "--quiet", "--tasks", "whole", "--tasks", "9,9"}).status, 1);
    const json undisturbed = report("1");
    ASSERT_EQ(undisturbed.at("rows").size(), 3U);

    std::vector<std::string> arguments{"matrix", "-j", "3", "--quiet", "--tasks", "whole", "--tasks", "9,9"};
    int kills = 0;
    for (int i = 0; i < 4; ++i) {
        const std::chrono::milliseconds moment(std::uniform_int_distribution(50, 1200)(random));
        kills += metamorph(arguments, moment).end == ProcessOutcome::End::timed_out ? 1 : 0;
        if (fs::exists(m_scratch.path() / "metamorph-sessions/0002/session.json")) {
            arguments = {"matrix", "-j", "3", "--quiet", "--resume"};
        }
    }
    std::cout << kills << " kills\n";
    EXPECT_GE(kills, 1);
    const ProcessOutcome last = metamorph(arguments);
    EXPECT_EQ(last.status, 1) << last.output << last.errors;
    EXPECT_EQ(report("latest"), undisturbed);
    EXPECT_FALSE(fs::exists(m_scratch.path() / "metamorph-sessions/0002/trash"));
    const std::string latest = fs::exists(m_scratch.path() / "metamorph-sessions/0002/session.json") ? "0002" : "0003";
    EXPECT_EQ(firmware(latest, k_whole), firmware("0001", k_whole));
    const ProcessOutcome compared = metamorph({"report", "--compare", "1", "--fail-if", "instructions > 0"});
    EXPECT_EQ(compared.output, "nothing differs\n") << compared.errors;
    EXPECT_EQ(compared.status, 0);
}

}  // namespace
}  // namespace metamorph

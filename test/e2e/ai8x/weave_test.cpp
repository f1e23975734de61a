// From a description to a woven project by one command, with the stand-in: every cut survived, the known answers
// reached, and a project that is broken by hand caught. With METAMORPH_AI8X_NETWORK, _CHECKPOINT and _TASKS the same by
// the real generator.
#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stand_in_project.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

ProcessOutcome metamorph(const std::vector<std::string>& arguments) {
    ProcessRequest request;
    request.argv = {METAMORPH_PROGRAM};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    return run_process(request).value();
}

// A command for the five layers; `what`: "weave" or "run".
std::vector<std::string> command(const std::string& what, const std::string& tasks) {
    return {what,          (k_networks / "five_layers.yaml").string(),
            "--generator", "ai8x",
            "--option",    "program=" + (k_ai8x / "stand_in" / "ai8xize.py").string(),
            "--option",    "checkpoint=" + (k_networks / "five_layers.json").string(),
            "--tasks",     tasks};
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// Numbers of "#define NAME { 0x1, 0x2 }".
std::vector<std::uint32_t> numbers(const std::string& header) {
    std::vector<std::uint32_t> found;
    for (std::size_t at = header.find("0x"); at != std::string::npos; at = header.find("0x", at + 2)) {
        found.push_back(static_cast<std::uint32_t>(std::stoul(header.substr(at, 10), nullptr, 16)));
    }
    return found;
}

std::string run_on_sample(const fs::path& kept) {
    std::string sample;  // one channel, in the lowest byte of each word
    for (const std::uint32_t word : numbers(text_of(kept / "bus" / "generated" / "part_0" / "sampledata.h"))) {
        sample += static_cast<char>(word & 0xff);
    }
    EXPECT_EQ(sample.size(), 64U);
    ProcessRequest request;
    request.argv = {(kept / "bus-work" / "build" / "five_layers_plain").string()};
    request.input = sample;
    return run_process(request).value().output;
}

// Ten words in three instances, in the order of the classes.
std::string known_answer(const fs::path& kept) {
    const std::vector<std::uint32_t> list = numbers(text_of(kept / "bus" / "generated" / "part_2" / "sampleoutput.h"));
    std::string answer;
    for (std::size_t at = 0; at + 2 < list.size() && list[at] != 0; at += 3 + list[at + 2]) {
        for (std::size_t i = 0; i < list[at + 2]; ++i) {
            for (int shift = 0; shift < 32; shift += 8) {
                answer += static_cast<char>(list[at + 3 + i] >> shift & 0xff);
            }
        }
    }
    return answer;
}

TEST(Ai8xWeave, EveryCutIsSurvivedAndTheKnownAnswerReached) {
    const ScratchFolder folder = ScratchFolder::make("ai8x-weave").value();
    const fs::path kept = folder.path() / "kept";
    const ProcessOutcome done = metamorph(
        with(command("run", "1,3,1"), {"--second", "none", "--inferences", "2", "--json", "--keep", kept.string()}));
    ASSERT_TRUE(done.succeeded()) << done.output << done.errors;
    const json result = json::parse(done.output);
    ASSERT_EQ(result.at("woven").size(), 2U);
    for (const json& woven : result.at("woven")) {
        EXPECT_EQ(woven.at("cuts").at("wrong"), 0);
        EXPECT_GE(woven.at("cuts").at("cuts_tried"), woven.at("cuts").at("units_total"));
    }
    const std::string answer = known_answer(kept);
    EXPECT_EQ(answer.size(), 40U);
    EXPECT_EQ(run_on_sample(kept), answer);
}

TEST(Ai8xWeave, AProjectThatLoadsTooLittleIsCaught) {
    const ScratchFolder folder = ScratchFolder::make("ai8x-broken").value();
    const fs::path kept = folder.path() / "kept", project = folder.path() / "app";
    ASSERT_TRUE(metamorph(with(command("weave", "1,3,1"),
                               {"-o", project.string(), "-q", "--nvm", "bus", "--option", "flag=--softmax"}))
                    .succeeded());
    const fs::path part = project / "adopted" / "five_layers_part_1.c";
    std::string text = text_of(part);
    const std::size_t at = text.find("    cnn_load_bias_1();\n");
    ASSERT_NE(at, std::string::npos);
    text.erase(at, 23);
    ASSERT_TRUE(write_file_if_changed(part, text));
    const ProcessOutcome done = metamorph({"run", project.string(), "--cut", "none", "-q"});
    EXPECT_NE(done.status, 0) << done.output << done.errors;
    EXPECT_NE(done.errors.find("exit status 70"), std::string::npos) << done.errors;
}

TEST(Ai8xWeave, WhatCannotBeDoneIsSaidBeforeAnythingRuns) {
    const std::string nowhere = (fs::temp_directory_path() / "ai8x-nowhere").string();
    const auto refused = [&](const std::vector<std::string>& words, int status, const char* message) {
        const ProcessOutcome done = metamorph(words);
        EXPECT_EQ(done.status, status) << done.errors;
        EXPECT_NE(done.errors.find(message), std::string::npos) << done.errors;
        EXPECT_FALSE(fs::exists(nowhere));
    };
    refused(with(command("weave", "2,2"), {"-o", nowhere}), 2, "4 layers in the parts 2,2");
    refused(with(command("weave", "3"), {"-o", nowhere}), 2, "give the layers per task");
    refused(with(command("weave", "2,3"), {"-o", nowhere, "--option", "chekpoint=x"}), 2, "did you mean 'checkpoint'?");
    refused(with(command("weave", "2,3"), {"-o", nowhere, "--option", "flag=--no-kat"}), 2, "known-answer test");
    refused(with(command("weave", "2,3"), {"-o", nowhere, "--entry", "f"}), 2, "C with one entry");
    refused(command("verify", "2,3"), 2, "not emulated");
    refused({"weave", (k_networks / "five_layers.yaml").string(), "-o", nowhere, "--generator", "ai8x", "--tasks",
             "2,3", "--option", "program=" + (k_ai8x / "stand_in" / "ai8xize.py").string()},
            2, "where the trained weights are");
}

TEST(Ai8xWeave, InspectTellsWhereCutsArePossible) {
    const ProcessOutcome done =
        metamorph({"inspect", (k_networks / "five_layers.yaml").string(), "--generator", "ai8x", "--json"});
    ASSERT_TRUE(done.succeeded()) << done.errors;
    const json layers = json::parse(done.output).at("layers");
    ASSERT_EQ(layers.size(), 5U);
    EXPECT_EQ(layers[1].at("name"), "middle");
    EXPECT_EQ(layers[3].at("cut"), true);
    EXPECT_EQ(layers[4].at("cut"), false);
}

TEST(Ai8xWeave, ItsCommandIsShown) {
    const std::string program = (k_ai8x / "stand_in" / "ai8xize.py").string();
    const std::string checkpoint = (k_networks / "five_layers.json").string();
    const ProcessOutcome done =
        metamorph({"frameworks", "ai8x", "--show-command", (k_networks / "five_layers.yaml").string(), "--option",
                   "program=" + program, "--option", "checkpoint=" + checkpoint, "--option", "flag=--softmax"});
    ASSERT_TRUE(done.succeeded()) << done.errors;
    EXPECT_EQ(done.output.find("python3 ai8xize.py --test-dir OUT --prefix part_0 --checkpoint-file " + checkpoint), 0U)
        << done.output;
    EXPECT_NE(done.output.find(" --device MAX78000 --overwrite --softmax\n"), std::string::npos) << done.output;
}

TEST(Ai8xWeave, TheRealGeneratorsParts) {
    const char* program = std::getenv("METAMORPH_AI8X");
    const char* network = std::getenv("METAMORPH_AI8X_NETWORK");
    const char* checkpoint = std::getenv("METAMORPH_AI8X_CHECKPOINT");
    const char* tasks = std::getenv("METAMORPH_AI8X_TASKS");
    if (program == nullptr || network == nullptr || checkpoint == nullptr || tasks == nullptr) {
        GTEST_SKIP() << "skipped: METAMORPH_AI8X, METAMORPH_AI8X_NETWORK, METAMORPH_AI8X_CHECKPOINT and "
                        "METAMORPH_AI8X_TASKS do not name the real generator and a network";
    }
    std::vector<std::string> words{
        "run",     network, "--generator", "ai8x", "--option", std::string("checkpoint=") + checkpoint,
        "--tasks", tasks,   "--cut",       "100",  "--json"};
    if (const char* sample = std::getenv("METAMORPH_AI8X_SAMPLE")) {
        words.insert(words.end(), {"--option", std::string("sample-input=") + sample});
    }
    if (const char* flags = std::getenv("METAMORPH_AI8X_FLAGS")) {  // separated by spaces
        std::string rest = flags;
        for (std::size_t end = 0; !rest.empty(); rest.erase(0, end == std::string::npos ? end : end + 1)) {
            end = rest.find(' ');
            words.insert(words.end(), {"--option", "flag=" + rest.substr(0, end)});
        }
    }
    const ProcessOutcome done = metamorph(words);
    EXPECT_TRUE(done.succeeded()) << done.output << done.errors;
}

}  // namespace
}  // namespace metamorph

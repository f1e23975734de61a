// Other people's C, from one command: the user's own folder, and a generator of his own that a description beside his
// project names. No package is needed here; the generators of packages: test/peers/frameworks_peer_test.cpp.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path k_network = fs::path(METAMORPH_SOURCE_DIR) / "test/e2e/frameworks/two_layers";
const std::vector<std::string> k_custom{"--generator", "custom",     "--entry",     "net_infer",
                                        "--arena",     "scratch=48", "--parameter", "x=input:16",
                                        "--parameter", "y=output:4", "--parameter", "inputs=constant:16",
                                        "--define",    "RAM_FUNC="};

class Frameworks : public testing::Test {
protected:
    fs::path folder() const { return m_scratch.path(); }

    ProcessOutcome metamorph(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) const {
        ProcessRequest request;
        request.argv = std::move(arguments);
        request.argv.insert(request.argv.begin(), METAMORPH_PROGRAM);
        request.argv.insert(request.argv.end(), more.begin(), more.end());
        request.directory = folder();
        request.environment = m_environment;
        request.environment.emplace_back("METAMORPH_VENVS", (folder() / "venvs").string());
        request.timeout = std::chrono::minutes(4);
        const auto outcome = run_process(request);
        EXPECT_TRUE(outcome);
        return outcome ? *outcome : ProcessOutcome{};
    }
    json document(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) const {
        arguments.emplace_back("--json");
        const ProcessOutcome outcome = metamorph(std::move(arguments), more);
        EXPECT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
        const json parsed = json::parse(outcome.output, nullptr, false);
        EXPECT_FALSE(parsed.is_discarded()) << outcome.output;
        return parsed.is_discarded() ? json::object() : parsed;
    }
    void write(const std::string& path, const std::string& contents) const {
        fs::create_directories((folder() / path).parent_path());
        std::ofstream(folder() / path) << contents;
    }

    std::vector<std::pair<std::string, std::string>> m_environment;
    ScratchFolder m_scratch = ScratchFolder::make("metamorph-frameworks").value();
};

TEST_F(Frameworks, AFolderOfCIsGenerated) {
    const json made = document({"generate", k_network.string(), "-o", "out"}, k_custom);
    EXPECT_EQ(made["generator"], "custom");
    EXPECT_EQ(made["entry"], "net_infer");
    EXPECT_EQ(made["sources"], json({"net.c"}));
    EXPECT_TRUE(fs::is_regular_file(folder() / "out/stubs/vendor_memory.h"));
    ASSERT_EQ(made["notes"].size(), 2U) << made["notes"].dump(2);
}

TEST_F(Frameworks, AFolderOfCIsInspected) {
    const json seen = document({"inspect", k_network.string()}, k_custom);
    EXPECT_EQ(seen["schema"], "metamorph-steps-1");
    ASSERT_EQ(seen["steps"].size(), 2U) << seen.dump(2);
    EXPECT_EQ(seen["steps"][1]["function"], "two_layers_step_01_output_layer");
}

// The banner of what is woven has the command that weaves it again, here or elsewhere.
TEST_F(Frameworks, WhatIsWovenSaysHow) {
    const json woven = document({"weave", k_network.string(), "-o", "app", "--tasks", "2"}, k_custom);
    EXPECT_EQ(woven["split"], "2");
    std::stringstream text;
    text << std::ifstream(folder() / "app/app/two_layers_app.h").rdbuf();
    EXPECT_NE(text.str().find("metamorph weave two_layers -o DIR --generator custom --entry net_infer --parameter "
                              "scratch=arena:48 --parameter x=input:16 --parameter y=output:4 --parameter "
                              "inputs=constant:16 --define RAM_FUNC= --tasks 2"),
              std::string::npos)
        << text.str().substr(0, 600);
    EXPECT_EQ(text.str().find(METAMORPH_SOURCE_DIR), std::string::npos);
}

TEST_F(Frameworks, AFolderOfCSurvivesEveryCutHere) {
    const json result = document({"run", k_network.string() + "/", "--tasks", "layer", "--cut", "every"}, k_custom);
    EXPECT_EQ(result["model"], "two_layers");
    EXPECT_TRUE(result["right"]);
    for (const json& woven : result["woven"]) {
        EXPECT_EQ(woven["task_names"].size(), 4U) << "two layers, the input, the output";
        EXPECT_EQ(woven["cuts"]["wrong"], 0);
    }
}

// What adoption does is told when code is woven, and with the project later.
TEST_F(Frameworks, NotesOfAdoptionGoWithTheProject) {
    write("partly/net.c",
          "void infer(const signed char x[static 4], signed char y[static 4])\n{\n"
          "    for (int i = 0; i < 3; i++)\n        y[i] = x[i];\n}\n");
    const std::string note =
        "generated/net.c:1: output 'y' may be read or left before all of it is written: it is 0 before each inference";
    const json woven = document({"weave", "partly", "-o", "app", "--generator", "custom", "--entry", "infer"});
    EXPECT_EQ(woven["notes"], json({note})) << woven["notes"].dump(2);
    EXPECT_EQ(woven["adoption"], json({note}));
    const json run = document({"run", "app", "--cut", "none"});
    EXPECT_EQ(run["notes"], json({note})) << run["notes"].dump(2);
    const ProcessOutcome text = metamorph({"run", "app", "--cut", "none", "-q"});
    EXPECT_NE(text.output.find("note: " + note), std::string::npos) << text.output;
    const json native = document({"weave", METAMORPH_SOURCE_DIR "/models/digits/digits_int8.tflite", "-o", "native"});
    EXPECT_FALSE(native.contains("adoption"));
}

TEST_F(Frameworks, TheVendorsGeneratorIsWhereTheEnvironmentSays) {
    const auto state = [&](const std::string& program) {
        m_environment = {{"METAMORPH_AI8X", program}};
        const json ai8x = document({"frameworks", "ai8x"});
        return ai8x.value("state", "") + ai8x.value("problem", "");
    };
    write("ai8xize.py", "print('usage')\n");
    EXPECT_EQ(state((folder() / "ai8xize.py").string()), "installed");
    EXPECT_EQ(state("/nowhere/ai8xize.py"), "unsuitableMETAMORPH_AI8X names no file: /nowhere/ai8xize.py");
}

TEST_F(Frameworks, AFolderOfCIsProvenOnADevice) {
    for (const char* tasks : {"layer", "whole"}) {
        const json result =
            document({"verify", k_network.string(), "--tasks", tasks, "--device", "cortex-m4-mapped"}, k_custom);
        EXPECT_TRUE(result["right"]) << tasks;
        EXPECT_TRUE(result["devices"][0]["exhaustive"]) << tasks;
    }
}

TEST_F(Frameworks, AnEntryThatDoesNotExistGetsASuggestion) {
    std::vector<std::string> arguments = k_custom;
    arguments[3] = "net_infr";
    const ProcessOutcome outcome = metamorph({"run", k_network.string()}, arguments);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_TRUE(
        outcome.errors.starts_with("error: no source defines a function 'net_infr'\n  at --entry\n"
                                   "  hint: did you mean 'net_infer'?\n"))
        << outcome.errors;
}

TEST_F(Frameworks, CThatDoesNotParseIsToldWithItsLine) {
    write("broken/net.c", "void infer(const float *x, float *y)\n{\n    y[0] = x[0]\n}\n");
    const ProcessOutcome outcome = metamorph({"run", "broken", "--generator", "custom", "--entry", "infer",
                                              "--parameter", "x=input:4", "--parameter", "y=output:4"});
    EXPECT_EQ(outcome.status, 3) << outcome.errors;
    EXPECT_NE(outcome.errors.find("net.c:3"), std::string::npos) << outcome.errors;
}

// docs/frameworks.md: "Add your own in ten minutes".
TEST_F(Frameworks, AGeneratorOfOnesOwnNeedsADescriptionAlone) {
    write("mygen",
          "#!/bin/sh\n[ \"$1\" = --version ] && { echo mygen 1.3; exit 0; }\n"
          "[ \"$1\" = --times ] || exit 1\n[ -s \"$4\" ] || { echo \"$4: empty\" >&2; exit 1; }\n"
          "cat > \"$3.h\" <<END\n#define $(echo \"$3\" | tr a-z A-Z)_WORK_BYTES 16u\nEND\n"
          "cat > \"$3.c\" <<END\n#include \"$3.h\"\n"
          "static void twice(const signed char *x, signed char *w)\n{\n    for (int i = 0; i < 16; i++)\n"
          "        w[i] = (signed char)(x[i] * $2);\n}\n"
          "static void add(const signed char *w, signed char *y)\n{\n    for (int i = 0; i < 8; i++)\n"
          "        y[i] = (signed char)(w[i] + w[i + 8]);\n}\n"
          "void $3_run(signed char *work, const signed char x[16], signed char y[8])\n{\n"
          "    twice(x, work);\n    add(work, y);\n}\nEND\n");
    fs::permissions(folder() / "mygen", fs::perms::owner_all);
    write("frameworks/mygen/framework.toml",
          "name = \"mygen\"\ndescription = \"a generator of one's own\"\n[generator]\nkind = \"program\"\n"
          "program = \"" +
              (folder() / "mygen").string() +
              "\"\nversion_arguments = [\"--version\"]\nversion_min = \"1.2\"\n"
              "install = \"write it\"\n[model]\nformats = [\"net\"]\n[command]\n"
              "arguments = [\"{program}\", \"{options}\", \"{prefix}\", \"{model}\"]\nseconds_max = 20\n"
              "[[option]]\nname = \"times\"\ndescription = \"a factor\"\nflags = [\"--times\", \"{value}\"]\ndefault = "
              "\"2\"\n"
              "[output]\nsources = [\"{prefix}.c\"]\nheaders = [\"*.h\"]\n[entry]\nfunction = \"{prefix}_run\"\n"
              "[[entry.parameter]]\nname = \"work\"\nrole = \"arena\"\nbytes_macro = \"{PREFIX}_WORK_BYTES\"\n");
    write("small.net", "a network");

    const json listed = document({"frameworks"});
    EXPECT_NE(listed.dump().find("\"mygen\""), std::string::npos);
    const json one = document({"frameworks", "mygen"});
    EXPECT_EQ(one["state"], "installed");
    EXPECT_EQ(one["version"], "1.3");
    const json shown = document({"frameworks", "mygen", "--show-command", "small.net", "--option", "times=3"});
    ASSERT_EQ(shown["commands"].size(), 1U);
    EXPECT_EQ(shown["commands"][0]["argv"],
              json({(folder() / "mygen").string(), "--times", "3", "small", (folder() / "small.net").string()}));

    const json result = document({"run", "small.net", "--generator", "mygen", "--tasks", "1,1", "--cut", "every"});
    EXPECT_TRUE(result["right"]);
    EXPECT_TRUE(document({"run", "small.net", "--framework", "frameworks/mygen", "--cut", "20"})["right"]);

    write("small.net", "");
    const ProcessOutcome failed = metamorph({"run", "small.net", "--generator", "mygen"});
    EXPECT_EQ(failed.status, 4);
    EXPECT_TRUE(
        failed.errors.starts_with("error: mygen failed: exit status 1; its last lines:\n"
                                  "    " +
                                  (folder() / "small.net").string() + ": empty\n  at /"))
        << failed.errors;
}

}  // namespace
}  // namespace metamorph

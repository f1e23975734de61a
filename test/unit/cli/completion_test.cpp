// The scripts are tried in the shells themselves, where these are installed (bash always is).
#include <nlohmann/json.hpp>

#include "unit/cli/fake_commands.h"
#include "util/process.h"

namespace metamorph::cli {
namespace {

std::string script(const std::string& shell) {
    FakeCommands fake;
    EXPECT_EQ(fake({"completion", shell}), 0);
    EXPECT_EQ(fake.err, "");
    return fake.out;
}

// What bash offers when TAB is pressed behind these words.
std::string completed(const std::string& words, int position) {
    ProcessRequest request;
    request.argv = {"bash", "-c",
                    script("bash") + "\nCOMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(position) +
                        "; _metamorph; echo \"${COMPREPLY[*]}\""};
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome && outcome->succeeded() && outcome->errors.empty());
    return outcome ? outcome->output : "";
}

TEST(Completion, IsAJsonDocumentWhereWanted) {
    FakeCommands fake;
    EXPECT_EQ(fake({"completion", "fish", "--json"}), 0);
    const nlohmann::json document = nlohmann::json::parse(fake.out, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << fake.out;
    EXPECT_EQ(document["schema"], "metamorph-completion-1");
    EXPECT_EQ(document["shell"], "fish");
    EXPECT_EQ(document["script"], script("fish"));
}

TEST(Completion, BashCompletesCommandsOptionsAndValues) {
    EXPECT_EQ(completed("metamorph ins", 1), "inspect\n");
    EXPECT_EQ(completed("metamorph run --cut", 2), "--cut --cut-budget\n");
    EXPECT_EQ(completed("metamorph run x --nvm ''", 4), "mapped bus both\n");
    EXPECT_EQ(completed("metamorph weave x --nvm ''", 4), "mapped bus\n");
    EXPECT_EQ(completed("metamorph run x --dump-after g", 4), "generate\n");
    EXPECT_EQ(completed("metamorph completion ''", 2), "bash zsh fish\n");
    EXPECT_EQ(completed("metamorph run x --seed ''", 4), "\n") << "a number cannot be completed";
}

TEST(Completion, BashCompletesDevicesAndTheirFiles) {
    EXPECT_EQ(completed("metamorph devices cort", 2), "cortex-m4-spi\n");
    EXPECT_NE(completed("metamorph devices /etc/pass", 2).find("/etc/passwd"), std::string::npos);
    EXPECT_EQ(completed("metamorph weave x --device cort", 4), "cortex-m4-spi\n");
    EXPECT_NE(completed("metamorph weave x --device /etc/pass", 4).find("/etc/passwd"), std::string::npos);
}

TEST(Completion, BashCompletesGenerators) {
    EXPECT_EQ(completed("metamorph frameworks emx", 2), "emx-onnx-cgen\n");
    EXPECT_EQ(completed("metamorph generate x --generator ''", 4), "native custom emx-onnx-cgen\n");
    EXPECT_EQ(completed("metamorph doctor --install cus", 3), "custom\n");
}

TEST(Completion, BashCompletesFiles) {
    EXPECT_NE(completed("metamorph run /etc/pass", 2).find("/etc/passwd"), std::string::npos);
    EXPECT_NE(completed("metamorph run x --inputs /etc/pass", 4).find("/etc/passwd"), std::string::npos);
}

void expect_parses(const std::string& shell, const std::string& check) {
    if (!find_program(shell)) {
        GTEST_SKIP() << shell << " is not installed";
    }
    ProcessRequest request;
    request.argv = {shell, check};
    request.input = script(shell);
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->succeeded()) << outcome->errors;
    EXPECT_EQ(outcome->errors, "");
}

TEST(Completion, BashParsesItsScript) {
    expect_parses("bash", "-n");
}
TEST(Completion, ZshParsesItsScript) {
    expect_parses("zsh", "-n");
}
TEST(Completion, FishParsesItsScript) {
    expect_parses("fish", "-n");
}

TEST(Completion, EveryScriptKnowsEveryOptionOfRun) {
    FakeCommands fake;
    fake({"run", "--help"});
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const std::string text = script(shell);
        for (const std::string option : {"tasks", "nvm", "cut", "cut-budget", "second", "inferences", "inputs", "seed",
                                         "replay", "keep", "json"}) {
            EXPECT_NE(fake.out.find("--" + option), std::string::npos);
            EXPECT_NE(text.find((shell == "fish" ? "-l " : "--") + option), std::string::npos) << shell << option;
        }
    }
}

}  // namespace
}  // namespace metamorph::cli
